package import FunnelModel

/// Encodes the fields of a state (``StateFormat``).
package struct StateWriter {
  /// The bytes written so far.
  package private(set) var bytes: [UInt8] = []

  /// Creates a writer without bytes.
  package init() {}

  /// Appends one byte.
  package mutating func append(byte: UInt8) { bytes.append(byte) }

  /// Appends bytes without their count.
  package mutating func append(bytes more: [UInt8]) { bytes += more }

  /// Appends a LEB128 number, which must not be negative.
  package mutating func append(number: Int) {
    precondition(number >= 0, "a state has no negative numbers")
    var remaining = number
    while remaining > 0x7F {
      bytes.append(UInt8(remaining & 0x7F | 0x80))
      remaining >>= 7
    }
    bytes.append(UInt8(remaining))
  }

  /// Appends a property value.
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

  /// Appends the count of some bytes, and the bytes.
  package mutating func append(counted bytes: some Collection<UInt8>) {
    append(number: bytes.count)
    self.bytes += bytes
  }

  /// Appends a little-endian integer of 8 bytes.
  package mutating func append(word: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(word >> UInt64(shift) & 0xFF)) }
  }
}
