import FunnelModel

/// A byte buffer for writing one record at a time, without a capacity check for each append.
///
/// Call ``clear(reserving:)`` with an upper bound of the record's length first. Appending more bytes is
/// undefined behavior; debug builds check it.
struct RecordBuffer: ~Copyable {
  // An array would check its uniqueness and its capacity for each append, of which a record needs hundreds.
  private let arena = Arena()
  /// The memory of the record and of the padding after it.
  private var memory: Table<UInt8>
  /// The number of bytes that were written.
  private(set) var count = 0

  /// The room of a new buffer: most records are shorter.
  private static let initialBytes = 4096

  /// Creates an empty buffer.
  init() {
    memory = arena.table(count: Self.initialBytes)
  }

  /// The bytes that were written, valid until the buffer changes.
  var text: PaddedText { memory.text(at: 0, count: count) }

  /// Empties the buffer and reserves room for `room` bytes.
  mutating func clear(reserving room: Int) {
    count = 0
    guard room + PaddedText.paddingBytes > memory.count else { return }
    arena.removeAll()
    memory = arena.table(count: room + room / 2 + PaddedText.paddingBytes)
  }

  /// Returns an upper bound of the bytes that ``appendJSONString(_:)`` writes for up to nine strings of `count`
  /// bytes in total.
  @inline(__always)
  static func jsonStringBytesMax(_ count: Int) -> Int {
    // Each byte may become `\u00xx`. Each string has two quotes.
    6 * count + 18
  }

  /// Appends a byte.
  @inline(__always)
  mutating func append(_ byte: UInt8) {
    memory[count] = byte
    count &+= 1
  }

  /// Appends an ASCII literal.
  @inline(__always)
  mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { memory.copy($0.span.bytes, to: count) }
    count &+= text.utf8CodeUnitCount
  }

  /// Appends bytes.
  @inline(__always)
  mutating func append(_ bytes: RawSpan) {
    memory.copy(bytes, to: count)
    count &+= bytes.byteCount
  }

  /// Appends a JSON string, quotes included, with the escapes of ``Swift/Array/appendJSONString(utf8:)``.
  @inline(__always)
  mutating func appendJSONString(_ text: RawSpan) {
    append(UInt8(ascii: "\""))
    if Self.needsEscape(text) { appendEscaped(text) } else { append(text) }
    append(UInt8(ascii: "\""))
  }

  /// Whether any byte is a quote, a backslash or a control character.
  @inline(__always)
  private static func needsEscape(_ text: RawSpan) -> Bool {
    var offset = 0
    while offset &+ 8 <= text.byteCount {
      // The condition of the loop has checked the bounds.
      if isSpecial(text.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)) { return true }
      offset &+= 8
    }
    // The unused bytes are spaces, which need no escape.
    var remainder: UInt64 = 0x2020_2020_2020_2020
    while offset < text.byteCount {
      remainder = remainder << 8 | UInt64(text.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self))
      offset &+= 1
    }
    return isSpecial(remainder)
  }

  /// Whether a byte of the word is below 0x20, `"` or `\` (Hacker's Delight, section 6-1).
  @inline(__always)
  private static func isSpecial(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    let found = (word &- ones &* 0x20) & ~word | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash
    return found & (ones &* 0x80) != 0
  }

  private mutating func appendEscaped(_ text: RawSpan) {
    var escaped: [UInt8] = []
    text.withUnsafeBytes { escaped.appendJSONString(utf8: $0) }
    append(escaped.span.bytes.extracting(1..<(escaped.count - 1)))
  }

  /// Appends an integer in decimal, at most 20 bytes.
  @inline(__always)
  mutating func appendDecimal(_ value: Int64) {
    var magnitude = value.magnitude
    if value < 0 { append(UInt8(ascii: "-")) }
    // The magnitude is at most 2^63, which has 19 digits.
    var digits = 1
    var limit: UInt64 = 10
    while digits < 19, magnitude >= limit {
      digits &+= 1
      limit &*= 10
    }
    var index = count &+ digits
    count = index
    for _ in 0..<digits {
      index &-= 1
      memory[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: magnitude % 10)
      magnitude /= 10
    }
  }

  /// Appends the last `width` decimal digits of a number that is not negative, with leading zeros.
  @inline(__always)
  mutating func appendDigits(_ value: Int, width: Int) {
    assert(value >= 0, "the number is negative")
    var remainder = value
    var index = count &+ width
    count = index
    for _ in 0..<width {
      index &-= 1
      memory[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: remainder % 10)
      remainder /= 10
    }
  }
}

extension RecordBuffer {
  /// Returns an upper bound of the bytes that ``appendObject(_:)`` writes.
  @inline(__always)
  static func objectBytesMax(_ members: EventMembers) -> Int {
    if let known = members.known { return known.value.canonical.count }
    // The braces, then a colon and a comma for each member.
    var total = 2
    for index in 0..<members.count {
      total += jsonStringBytesMax(members[index].key.count) + 2
      if case .string(let text) = members[index].value {
        total += jsonStringBytesMax(text.count)
      } else {
        total += scalarBytesMax
      }
    }
    return total
  }

  /// An upper bound of the bytes of a scalar other than a string: a double that is a whole number has up to 309 digits.
  private static let scalarBytesMax = 340

  /// Appends members as a JSON object, in their order.
  mutating func appendObject(_ members: EventMembers) {
    append(UInt8(ascii: "{"))
    for index in 0..<members.count {
      if index > 0 { append(UInt8(ascii: ",")) }
      appendJSONString(members[index].key.span.bytes)
      append(UInt8(ascii: ":"))
      append(members[index].value)
    }
    append(UInt8(ascii: "}"))
  }

  /// Appends a scalar as JSON.
  private mutating func append(_ value: Scalar) {
    switch value {
    case .string(let text): appendJSONString(text.span.bytes)
    case .integer(let number): appendDecimal(number)
    case .double(let number): number.withJSONText { append($0.span.bytes) }
    case .bool(let flag): append(flag ? "true" : "false")
    case .null: append("null")
    }
  }
}
