import FunnelModel

/// A growable byte buffer for lines of JSON. Not thread-safe: each worker owns its buffers.
public final class LineBuffer {
  private struct State {
    var memory: UnsafeMutableRawPointer
    var capacity: Int
    var count = 0
  }

  // A pointer, because Swift checks each access to a stored property of a class for exclusivity.
  private let state: UnsafeMutablePointer<State>

  /// The capacity of a new buffer in bytes.
  private static let initialCapacity = 1 << 12
  private static let alignment = 16

  /// Creates an empty buffer.
  public init() {
    state = .allocate(capacity: 1)
    state.initialize(
      to: State(
        memory: .allocate(byteCount: Self.initialCapacity, alignment: Self.alignment), capacity: Self.initialCapacity))
  }

  deinit {
    state.pointee.memory.deallocate()
    state.deallocate()
  }

  /// The number of bytes.
  public var count: Int { state.pointee.count }

  /// The bytes, valid until more bytes are appended.
  public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: state.pointee.memory, count: count) }

  /// Removes the bytes from an offset on, and keeps the memory.
  public func removeAll(from offset: Int = 0) {
    precondition(offset >= 0 && offset <= count, "only bytes that are there can be removed")
    state.pointee.count = offset
  }

  /// Appends a number of zero bytes.
  public func appendZeros(_ count: Int) {
    precondition(count >= 0, "the count is negative")
    reserve(count)
    memset(end, 0, count)
    state.pointee.count += count
  }

  /// Appends one byte.
  @inline(__always)
  func append(_ byte: UInt8) {
    reserve(1)
    end.storeBytes(of: byte, as: UInt8.self)
    state.pointee.count &+= 1
  }

  /// Appends the bytes of a literal.
  @inline(__always)
  func append(_ text: StaticString) {
    append(raw: UnsafeRawBufferPointer(text))
  }

  /// Appends bytes as they are.
  @inline(__always)
  func append(raw bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    if let start = bytes.baseAddress { memcpy(end, start, bytes.count) }
    state.pointee.count &+= bytes.count
  }

  /// Appends bytes as they are.
  func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append(raw: $0) } }

  /// The maximum length of a 64-bit integer in decimal: 19 digits and a sign, or 20 digits.
  private static let decimalBytesMax = 20

  /// Appends an integer in decimal.
  func appendDecimal(_ value: Int64) {
    reserve(Self.decimalBytesMax)
    if value < 0 { append(UInt8(ascii: "-")) }
    var magnitude = value.magnitude
    var digits = 1
    var bound: UInt64 = 10
    while digits < Self.decimalBytesMax, magnitude >= bound {
      digits &+= 1
      bound = bound &* 10
    }
    // The digits are written from the last to the first.
    var position = end + digits
    for _ in 0..<digits {
      position -= 1
      let (quotient, digit) = magnitude.quotientAndRemainder(dividingBy: 10)
      position.storeBytes(of: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit), as: UInt8.self)
      magnitude = quotient
    }
    state.pointee.count &+= digits
  }

  /// The length of the longest JSON escape of one byte: `\u001f`.
  private static let escapeBytesMax = 6
  /// Room for the two quotes and for a whole word after the text.
  private static let stringMarginBytes = 16

  /// Appends a JSON string, including its quotes.
  func appendJSONString(_ text: UnsafeRawBufferPointer) {
    // Few strings need escapes, so bytes are copied in words of eight up to the first byte that may need one.
    reserve(text.count &* Self.escapeBytesMax &+ Self.stringMarginBytes)
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

  /// Appends one byte of a JSON string, escaped if necessary.
  @inline(__always)
  private func appendEscaped(_ byte: UInt8) {
    if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { return append(byte) }
    var quoted: [UInt8] = []
    withUnsafeBytes(of: byte) { quoted.appendJSONString(utf8: $0) }
    append(Array(quoted.dropFirst().dropLast()))
  }

  /// Whether a word may contain a control character, a quote or a backslash. False positives are possible.
  @inline(__always)
  private static func needsEscape(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    // See "Bit Twiddling Hacks", haszero and hasless: subtracting the limit from a smaller byte sets its highest bit.
    let control = (word &- ones &* 0x20) & ~word
    let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
    let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
    return (control | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)) & highs != 0
  }

  /// Makes room for a number of bytes after the last one.
  @inline(__always)
  private func reserve(_ count: Int) {
    if state.pointee.count &+ count > state.pointee.capacity { grow(count) }
  }

  /// The address after the last byte.
  @inline(__always)
  private var end: UnsafeMutableRawPointer { state.pointee.memory + state.pointee.count }

  @inline(never)
  private func grow(_ count: Int) {
    let capacity = max(2 * state.pointee.capacity, self.count + count)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: Self.alignment)
    larger.copyMemory(from: state.pointee.memory, byteCount: self.count)
    state.pointee.memory.deallocate()
    state.pointee.memory = larger
    state.pointee.capacity = capacity
  }
}

extension UnsafeRawBufferPointer {
  /// Creates a view of the bytes of a string literal.
  init(_ text: StaticString) { self.init(start: text.utf8Start, count: text.utf8CodeUnitCount) }
}

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif
