extension [UInt8] {
  /// Creates an array with a copy of bytes.
  package init(copying bytes: Span<UInt8>) {
    self.init(capacity: bytes.count) { $0.append(copying: bytes) }
  }

  /// Appends a copy of bytes.
  package mutating func append(copying bytes: Span<UInt8>) {
    append(addingCapacity: bytes.count) { $0.append(copying: bytes) }
  }

  /// Appends the little-endian bytes of an integer.
  mutating func append(littleEndian value: some FixedWidthInteger) {
    for index in 0..<(value.bitWidth / 8) { append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
  }
}

extension OutputSpan<UInt8> {
  /// Appends the little-endian bytes of an integer.
  @_lifetime(self: copy self)
  mutating func append(littleEndian value: some FixedWidthInteger) {
    for index in 0..<(value.bitWidth / 8) { append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
  }
}

extension Span<UInt8> {
  /// Returns the integer at an offset, whose bytes are in little-endian order.
  @inlinable
  package func integer<Integer: FixedWidthInteger>(at offset: Int, as type: Integer.Type) -> Integer {
    precondition(offset >= 0 && offset + Integer.bitWidth / 8 <= count, "the bytes contain the whole integer")
    var value: Integer = 0
    for index in 0..<(Integer.bitWidth / 8) {
      value |= Integer(truncatingIfNeeded: self[offset + index]) << (8 * index)
    }
    return value
  }

  /// Returns whether the bytes begin with others.
  func starts(with prefix: [UInt8]) -> Bool {
    count >= prefix.count && prefix.indices.allSatisfy { self[$0] == prefix[$0] }
  }
}
