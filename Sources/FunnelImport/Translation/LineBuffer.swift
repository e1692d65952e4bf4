import FunnelModel

/// Bytes that grow at their end, in memory that no reference counts are kept for. Not to be shared between threads.
public final class LineBuffer {
  private var memory: UnsafeMutableRawPointer
  private var capacity: Int
  /// The number of bytes.
  public private(set) var count = 0

  public init() {
    capacity = 1 << 12
    memory = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { memory.deallocate() }

  /// The bytes, valid until more are appended.
  public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

  /// Removes the bytes behind an offset, but keeps the memory.
  public func removeAll(from offset: Int = 0) {
    precondition(offset >= 0 && offset <= count, "only bytes that are there can be removed")
    count = offset
  }

  /// Appends zeros.
  public func appendZeros(_ count: Int) {
    reserve(count)
    memset(memory + self.count, 0, count)
    self.count += count
  }

  @inline(__always)
  func append(_ byte: UInt8) {
    reserve(1)
    memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count &+= 1
  }

  @inline(__always)
  func append(_ text: StaticString) {
    append(raw: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @inline(__always)
  func append(raw bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    if let start = bytes.baseAddress { memcpy(memory + count, start, bytes.count) }
    count &+= bytes.count
  }

  func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append(raw: $0) } }

  func appendDecimal(_ value: Int64) {
    var text: [UInt8] = []
    text.appendDecimal(value)
    append(text)
  }

  /// Appends a JSON string, including its quotes. Text without anything to escape, which nearly all is, is copied eight bytes at a time.
  func appendJSONString(_ text: UnsafeRawBufferPointer) {
    // Each byte may become six.
    reserve(text.count &* 6 &+ 16)
    append(UInt8(ascii: "\""))
    var offset = 0
    while offset &+ 8 <= text.count {
      let word = text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      guard !Self.needsEscape(word) else { break }
      memory.storeBytes(of: word, toByteOffset: count, as: UInt64.self)
      count &+= 8
      offset &+= 8
    }
    while offset < text.count {
      appendEscaped(text[offset])
      offset &+= 1
    }
    append(UInt8(ascii: "\""))
  }

  @inline(__always)
  private func appendEscaped(_ byte: UInt8) {
    if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { return append(byte) }
    var quoted: [UInt8] = []
    withUnsafeBytes(of: byte) { quoted.appendJSONString(utf8: $0) }
    append(Array(quoted.dropFirst().dropLast()))
  }

  /// Returns whether one of eight bytes is a control character, a quote or a backslash. It may be wrong in saying yes.
  @inline(__always)
  private static func needsEscape(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    // A byte below a limit borrows from its highest bit, which is not set in the byte itself ("Bit Twiddling Hacks", haszero and hasless).
    let control = (word &- ones &* 0x20) & ~word
    let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
    let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
    return (control | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)) & highs != 0
  }

  @inline(__always)
  private func reserve(_ count: Int) {
    if self.count &+ count > capacity { grow(count) }
  }

  @inline(never)
  private func grow(_ count: Int) {
    capacity = max(2 * capacity, self.count + count)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    larger.copyMemory(from: memory, byteCount: self.count)
    memory.deallocate()
    memory = larger
  }
}

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif
