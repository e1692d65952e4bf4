import FunnelModel

/// Bytes that grow at their end, in memory that no reference counts are kept for. Not to be shared between threads.
public final class LineBuffer {
  private struct State {
    var memory: UnsafeMutableRawPointer
    var capacity: Int
    var count = 0
  }

  /// Behind a pointer, because each access to a variable of an object is watched for conflicts.
  private let state: UnsafeMutablePointer<State>

  public init() {
    let capacity = 1 << 12
    state = .allocate(capacity: 1)
    state.initialize(to: State(memory: .allocate(byteCount: capacity, alignment: 16), capacity: capacity))
  }

  deinit {
    state.pointee.memory.deallocate()
    state.deallocate()
  }

  /// The number of bytes.
  public var count: Int { state.pointee.count }

  /// The bytes, valid until more are appended.
  public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: state.pointee.memory, count: count) }

  /// Removes the bytes behind an offset, but keeps the memory.
  public func removeAll(from offset: Int = 0) {
    precondition(offset >= 0 && offset <= count, "only bytes that are there can be removed")
    state.pointee.count = offset
  }

  /// Appends zeros.
  public func appendZeros(_ count: Int) {
    reserve(count)
    memset(end, 0, count)
    state.pointee.count += count
  }

  @inline(__always)
  func append(_ byte: UInt8) {
    reserve(1)
    end.storeBytes(of: byte, as: UInt8.self)
    state.pointee.count &+= 1
  }

  @inline(__always)
  func append(_ text: StaticString) {
    append(raw: UnsafeRawBufferPointer(text))
  }

  @inline(__always)
  func append(raw bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    if let start = bytes.baseAddress { memcpy(end, start, bytes.count) }
    state.pointee.count &+= bytes.count
  }

  func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append(raw: $0) } }

  func appendDecimal(_ value: Int64) {
    // A 64-bit integer has at most 20 digits and signs.
    reserve(20)
    if value < 0 { append(UInt8(ascii: "-")) }
    var magnitude = value.magnitude
    var digits = 1
    var bound: UInt64 = 10
    while digits < 20, magnitude >= bound {
      digits &+= 1
      bound = bound &* 10
    }
    var place = end + digits
    for _ in 0..<digits {
      place -= 1
      let (rest, digit) = magnitude.quotientAndRemainder(dividingBy: 10)
      place.storeBytes(of: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit), as: UInt8.self)
      magnitude = rest
    }
    state.pointee.count &+= digits
  }

  /// Appends a JSON string, including its quotes. Text without anything to escape, which nearly all is, is copied eight bytes at a time.
  func appendJSONString(_ text: UnsafeRawBufferPointer) {
    // Each byte may become six.
    reserve(text.count &* 6 &+ 16)
    append(UInt8(ascii: "\""))
    let target = end
    var offset = 0
    while offset &+ 8 <= text.count {
      let word = text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      guard !Self.needsEscape(word) else { break }
      target.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
      offset &+= 8
    }
    state.pointee.count &+= offset
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
    if state.pointee.count &+ count > state.pointee.capacity { grow(count) }
  }

  /// The place behind the last byte.
  @inline(__always)
  private var end: UnsafeMutableRawPointer { state.pointee.memory + state.pointee.count }

  @inline(never)
  private func grow(_ count: Int) {
    let capacity = max(2 * state.pointee.capacity, self.count + count)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    larger.copyMemory(from: state.pointee.memory, byteCount: self.count)
    state.pointee.memory.deallocate()
    (state.pointee.memory, state.pointee.capacity) = (larger, capacity)
  }
}

extension UnsafeRawBufferPointer {
  /// The bytes of a text of the program.
  init(_ text: StaticString) { self.init(start: text.utf8Start, count: text.utf8CodeUnitCount) }
}

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif
