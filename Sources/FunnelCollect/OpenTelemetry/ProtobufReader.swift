/// Reads the fields of a message in the wire format of Protocol Buffers
/// (<https://protobuf.dev/programming-guides/encoding/>).
struct ProtobufReader: ~Escapable {
  /// The error for a message that is cut or malformed.
  struct Malformed: Error {}

  /// The value of a field. Deprecated groups are malformed.
  enum Value {
    case number(UInt64)
    /// The range of a text, of bytes or of a message.
    case bytes(Range<Int>)
  }

  let text: Span<UInt8>
  private var index: Int
  private let end: Int

  @_lifetime(copy text)
  init(_ text: Span<UInt8>, in range: Range<Int>) {
    self.text = text
    index = range.lowerBound
    end = range.upperBound
  }

  /// Returns the number and the value of the next field, or `nil` at the end of the message.
  @_lifetime(self: copy self)
  mutating func next() throws(Malformed) -> (field: UInt64, value: Value)? {
    guard index < end else { return nil }
    let tag = try readNumber()
    switch tag & 7 {
    case 0: return (tag >> 3, .number(try readNumber()))
    case 1: return (tag >> 3, .number(try readFixed(byteCount: 8)))
    case 2:
      let count = try readNumber()
      guard count <= UInt64(end - index) else { throw Malformed() }
      defer { index += Int(count) }
      return (tag >> 3, .bytes(index..<index + Int(count)))
    case 5: return (tag >> 3, .number(try readFixed(byteCount: 4)))
    default: throw Malformed()
    }
  }

  /// Reads a number of variable length.
  @_lifetime(self: copy self)
  private mutating func readNumber() throws(Malformed) -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard index < end else { throw Malformed() }
      let byte = text[index]
      index += 1
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    throw Malformed()
  }

  @_lifetime(self: copy self)
  private mutating func readFixed(byteCount: Int) throws(Malformed) -> UInt64 {
    guard end - index >= byteCount else { throw Malformed() }
    var number: UInt64 = 0
    for offset in 0..<byteCount { number |= UInt64(text[index + offset]) << UInt64(8 * offset) }
    index += byteCount
    return number
  }
}
