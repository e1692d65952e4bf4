package import FunnelModel

/// Writes the parts of a state (``StateFormat``).
package struct StateWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func append(byte: UInt8) { bytes.append(byte) }

  package mutating func append(bytes more: [UInt8]) { bytes += more }

  /// Appends a number, which must not be negative.
  package mutating func append(number: Int) {
    precondition(number >= 0, "a state has no negative numbers")
    var rest = number
    while rest > 0x7F {
      bytes.append(UInt8(rest & 0x7F | 0x80))
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  package mutating func append(_ value: PropertyValue) {
    switch value {
    case .null: append(byte: StateFormat.Tag.null)
    case .bool(let flag): append(byte: flag ? StateFormat.Tag.yes : StateFormat.Tag.no)
    case .integer(let number):
      append(byte: StateFormat.Tag.integer)
      append(word: UInt64(bitPattern: number))
    case .double(let number):
      append(byte: StateFormat.Tag.double)
      append(word: number.bitPattern)
    case .string(let text):
      append(byte: StateFormat.Tag.string)
      append(counted: text.utf8)
    }
  }

  /// Appends bytes with their number in front.
  package mutating func append(counted bytes: some Collection<UInt8>) {
    append(number: bytes.count)
    self.bytes += bytes
  }

  /// Appends an integer of 8 bytes, little-endian.
  package mutating func append(word: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(word >> UInt64(shift) & 0xFF)) }
  }
}
