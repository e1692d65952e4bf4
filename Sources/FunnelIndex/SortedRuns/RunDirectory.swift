/// The directory of a sorted run: the counts and byte ranges of its partitions, and the byte ranges of its dictionaries
/// (``IndexFormat``).
struct RunDirectory: BitwiseCopyable {
  private let bytes: BorrowedBytes

  /// The length of the directory without the checksums of pages.
  static let fixedBytes =
    IndexFormat.partitionCount * IndexFormat.partitionEntryBytes + IndexFormat.Dictionary.allCases.count
    * IndexFormat.ByteRange.encodedBytes
  private static let countBytes = MemoryLayout<UInt32>.size

  /// Opens a directory, or returns `nil` if it is too short.
  ///
  /// - Parameter bytes: The directory, with or without the checksums of pages.
  init?(_ bytes: BorrowedBytes) {
    guard bytes.count >= Self.fixedBytes else { return nil }
    self.bytes = bytes[0..<Self.fixedBytes]
  }

  /// Returns the number of subjects of a partition.
  func subjectCount(ofPartition partition: Int) -> Int {
    Int(bytes.load(at: Self.entryOffset(ofPartition: partition), as: UInt32.self))
  }

  /// Returns the number of events of a partition.
  func eventCount(ofPartition partition: Int) -> Int {
    Int(bytes.load(at: Self.entryOffset(ofPartition: partition) + Self.countBytes, as: UInt32.self))
  }

  /// Returns the byte range of a section of a partition. It is not validated.
  func range(of section: IndexFormat.Section, inPartition partition: Int) -> IndexFormat.ByteRange {
    let ranges = Self.entryOffset(ofPartition: partition) + 2 * Self.countBytes
    return range(at: ranges + section.rawValue * IndexFormat.ByteRange.encodedBytes)
  }

  /// Returns the byte range of a dictionary. It is not validated.
  func range(of dictionary: IndexFormat.Dictionary) -> IndexFormat.ByteRange {
    let ranges = IndexFormat.partitionCount * IndexFormat.partitionEntryBytes
    return range(at: ranges + dictionary.rawValue * IndexFormat.ByteRange.encodedBytes)
  }

  /// Returns the offset of a partition's entry.
  private static func entryOffset(ofPartition partition: Int) -> Int {
    precondition(partition >= 0 && partition < IndexFormat.partitionCount, "a run has a fixed number of partitions")
    return partition * IndexFormat.partitionEntryBytes
  }

  private func range(at offset: Int) -> IndexFormat.ByteRange {
    let size = MemoryLayout<UInt64>.size
    return IndexFormat.ByteRange(
      offset: Int(truncatingIfNeeded: bytes.load(at: offset, as: UInt64.self)),
      count: Int(truncatingIfNeeded: bytes.load(at: offset + size, as: UInt64.self)))
  }
}

/// The trailer of a sorted run: the last 64 bytes, which locate and identify its directory.
struct RunTrailer {
  /// The number of bytes of one type code.
  let typeWidth: NumberWidth
  let directory: IndexFormat.ByteRange
  let eventCount: Int
  /// The CRC-32 of the directory.
  let checksum: UInt32

  // The offsets of the fields; the version follows the magic number of eight bytes.
  private static let versionOffset = 8
  private static let typeWidthOffset = 12
  private static let directoryOffset = 16
  private static let eventCountOffset = 32
  private static let directoryChecksumOffset = 40
  private static let checksumOffset = IndexFormat.trailerBytes - MemoryLayout<UInt32>.size

  init(typeWidth: NumberWidth, directory: IndexFormat.ByteRange, eventCount: Int, checksum: UInt32) {
    self.typeWidth = typeWidth
    self.directory = directory
    self.eventCount = eventCount
    self.checksum = checksum
  }

  /// Decodes the trailer at the end of a run, or returns `nil` if it is invalid.
  init?(_ image: BorrowedBytes) {
    guard image.count >= IndexFormat.trailerBytes else { return nil }
    let end = image.count - IndexFormat.trailerBytes
    let trailer = image.dropFirst(end)
    func word(_ offset: Int) -> UInt32 { trailer.load(at: offset, as: UInt32.self) }
    func long(_ offset: Int) -> Int { Int(truncatingIfNeeded: trailer.load(at: offset, as: UInt64.self)) }
    guard long(0) == Int(IndexFormat.magic), word(Self.versionOffset) == IndexFormat.version,
      trailer[0..<Self.checksumOffset].crc32 == word(Self.checksumOffset),
      let width = NumberWidth(rawValue: Int(word(Self.typeWidthOffset))), width != .eight
    else { return nil }
    typeWidth = width
    directory = IndexFormat.ByteRange(
      offset: long(Self.directoryOffset), count: long(Self.directoryOffset + MemoryLayout<UInt64>.size))
    eventCount = long(Self.eventCountOffset)
    checksum = word(Self.directoryChecksumOffset)
    guard directory.isInside(end), directory.offset + directory.count == end, eventCount >= 0 else { return nil }
  }

  /// The encoded trailer.
  var encoded: UniqueBytes {
    var bytes = UniqueBytes(repeating: 0, count: Self.checksumOffset)
    bytes.store(IndexFormat.magic, at: 0)
    bytes.store(IndexFormat.version, at: Self.versionOffset)
    bytes.store(UInt32(typeWidth.rawValue), at: Self.typeWidthOffset)
    bytes.store(UInt64(directory.offset), at: Self.directoryOffset)
    bytes.store(UInt64(directory.count), at: Self.directoryOffset + MemoryLayout<UInt64>.size)
    bytes.store(UInt64(eventCount), at: Self.eventCountOffset)
    bytes.store(checksum, at: Self.directoryChecksumOffset)
    bytes.append(number: bytes.bytes.crc32)
    return bytes
  }
}
