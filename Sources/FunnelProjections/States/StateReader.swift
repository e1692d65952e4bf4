package import FunnelModel

/// Decodes the fields of a state (``StateFormat``) from untrusted bytes.
///
/// Each method that reads a field moves the offset after it.
package struct StateReader {
  private let bytes: [UInt8]
  /// The offset of the next byte.
  package private(set) var offset = 0

  /// Creates a reader at the start of the bytes.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Whether all bytes have been read.
  package var isAtEnd: Bool { offset == bytes.count }

  /// Returns an error at the next byte.
  package func damage(_ reason: String) -> StateDamage { StateDamage(offset: offset, reason: reason) }

  /// Reads one byte.
  package mutating func byte() throws(StateDamage) -> UInt8 {
    guard offset < bytes.count else { throw damage("the state ends too early") }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// Reads a LEB128 number. Rejects numbers that do not fit into an `Int` and encodings that are longer than necessary.
  package mutating func number() throws(StateDamage) -> Int {
    let start = offset
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = try byte()
      // Nine bytes of seven bits hold 63 bits, so the result is never negative.
      guard shift < 63 else { throw StateDamage(offset: start, reason: "a number is too large") }
      guard next != 0 || shift == 0 else { throw StateDamage(offset: start, reason: "a number has superfluous bytes") }
      result |= UInt64(next & 0x7F) << shift
      if next & 0x80 == 0 { return Int(result) }
      shift += 7
    }
  }

  /// Reads the number of elements that follow. Rejects more elements than fit into the remaining bytes, before memory
  /// is allocated for them.
  ///
  /// - Parameter bytesMin: The smallest number of bytes of an element, at least 1.
  package mutating func count(bytesMin: Int) throws(StateDamage) -> Int {
    precondition(bytesMin > 0, "a thing takes at least a byte")
    let start = offset
    let count = try number()
    guard count <= (bytes.count - offset) / bytesMin else {
      throw StateDamage(offset: start, reason: "more than the rest of the state can hold")
    }
    return count
  }

  /// Reads a count of groups, events or durations. Rejects counts above `Limits.countMax`, so sums of two counts
  /// can't overflow.
  package mutating func quantity() throws(StateDamage) -> Int {
    let start = offset
    let count = try number()
    guard count <= Limits.countMax else { throw StateDamage(offset: start, reason: "a count is too large") }
    return count
  }

  /// Reads a property value.
  package mutating func value() throws(StateDamage) -> PropertyValue {
    let start = offset
    switch try byte() {
    case StateFormat.Tag.null: return .null
    case StateFormat.Tag.no: return .bool(false)
    case StateFormat.Tag.yes: return .bool(true)
    case StateFormat.Tag.integer: return .integer(Int64(bitPattern: try word()))
    case StateFormat.Tag.double: return .double(Double(bitPattern: try word()))
    case StateFormat.Tag.string: return .string(try text())
    default: throw StateDamage(offset: start, reason: "not a value")
    }
  }

  /// Reads a UTF-8 string with its length in bytes before it.
  package mutating func text() throws(StateDamage) -> String {
    let count = try count(bytesMin: 1)
    guard let text = String(validUTF8: bytes[offset..<offset + count]) else { throw damage("not UTF-8") }
    offset += count
    return text
  }

  /// Reads bytes with their count before them.
  package mutating func countedBytes() throws(StateDamage) -> [UInt8] {
    let count = try count(bytesMin: 1)
    defer { offset += count }
    return Array(bytes[offset..<offset + count])
  }

  /// Reads a little-endian integer of 8 bytes.
  package mutating func word() throws(StateDamage) -> UInt64 {
    var word: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 8) { word |= UInt64(try byte()) << UInt64(shift) }
    return word
  }
}
