/// The frames of a zstd file (RFC 8878, 3.1), checked without inflating them.
///
/// A frame states the size of its window, which the library allocates. A file of 20 bytes could request 128 MiB.
struct ZstdFrames {
  /// The largest window that is accepted, which every decoder should support (RFC 8878, 3.1.1.1.2).
  static let windowBytesMax = 8 << 20
  /// The memory of the library beside the window: its state, tables, and buffers of blocks.
  private static let stateBytes = 512 << 10

  private static let magic: UInt32 = 0xFD2F_B528
  /// The magic numbers of frames with data of applications, which are skipped.
  private static let skippableMagic: ClosedRange<UInt32> = 0x184D_2A50...0x184D_2A5F
  private static let magicBytes = 4
  private static let blockHeaderBytes = 3
  private static let checksumBytes = 4

  /// The largest window of the frames.
  private var windowBytes = 0

  /// Reads the frames of a file. Returns `nil` if they are incomplete or not valid, or if a window is too large.
  init?(_ file: Span<UInt8>) {
    var offset = 0
    repeat {
      guard let next = readFrame(of: file, at: offset) else { return nil }
      offset = next
    } while offset < file.count
  }

  /// An upper bound of the memory that the library needs.
  var memoryBytes: Int { Self.stateBytes + windowBytes }

  /// Returns the offset after the frame at an offset.
  private mutating func readFrame(of file: Span<UInt8>, at start: Int) -> Int? {
    guard start + 2 * Self.magicBytes <= file.count else { return nil }
    let magic = file.integer(at: start, as: UInt32.self)
    var offset = start + Self.magicBytes
    if Self.skippableMagic.contains(magic) {
      let end = offset + 4 + Int(file.integer(at: offset, as: UInt32.self))
      return end <= file.count ? end : nil
    }
    guard magic == Self.magic, let header = FrameHeader(file, at: offset), header.windowBytes <= Self.windowBytesMax else {
      return nil
    }
    windowBytes = max(windowBytes, header.windowBytes)
    offset += header.byteCount
    var isLast = false
    while !isLast {
      guard offset + Self.blockHeaderBytes <= file.count else { return nil }
      let block = Int(file[offset]) | Int(file[offset + 1]) << 8 | Int(file[offset + 2]) << 16
      isLast = block & 1 == 1
      // A block of the type 1 is one byte that is repeated.
      let isRun = block >> 1 & 3 == 1
      offset += Self.blockHeaderBytes + (isRun ? 1 : block >> 3)
    }
    let end = offset + (header.hasChecksum ? Self.checksumBytes : 0)
    return end <= file.count ? end : nil
  }
}

/// The header of a zstd frame after its magic number (RFC 8878, 3.1.1.1).
private struct FrameHeader {
  let windowBytes: Int
  let hasChecksum: Bool
  let byteCount: Int

  /// Returns `nil` if the header is incomplete, or has a dictionary or a reserved bit.
  init?(_ file: Span<UInt8>, at start: Int) {
    let descriptor = file[start]
    let isSingleSegment = descriptor & 0x20 != 0
    let hasDictionary = descriptor & 0x03 != 0
    let reservedBit: UInt8 = 0x08
    guard !hasDictionary, descriptor & reservedBit == 0 else { return nil }
    hasChecksum = descriptor & 0x04 != 0
    let sizeBytes: Int =
      switch descriptor >> 6 {
      case 0: isSingleSegment ? 1 : 0
      case 1: 2
      case 2: 4
      default: 8
      }
    let windowDescriptorBytes = isSingleSegment ? 0 : 1
    byteCount = 1 + windowDescriptorBytes + sizeBytes
    guard start + byteCount <= file.count else { return nil }
    guard isSingleSegment else {
      let window = Int(file[start + 1])
      let base = 1 << (10 + window >> 3)
      windowBytes = base + base / 8 * (window & 7)
      return
    }
    var size: UInt64 = 0
    for index in 0..<sizeBytes { size |= UInt64(file[start + 1 + index]) << UInt64(8 * index) }
    // The size of 2 bytes is stored less 256.
    if sizeBytes == 2 { size += 256 }
    windowBytes = Int(clamping: size)
  }
}
