import FunnelModel

extension RecordBuffer {
  /// Returns an upper bound of the bytes that ``appendObject(_:)`` writes.
  @inline(__always)
  static func objectBytesMax(_ members: EventMembers) -> Int {
    if let known = members.known { return Int(known.pointee.canonicalCount) }
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
      appendJSONString(members[index].key)
      append(UInt8(ascii: ":"))
      append(members[index].value)
    }
    append(UInt8(ascii: "}"))
  }

  /// Appends a scalar as JSON.
  private mutating func append(_ value: Scalar) {
    switch value {
    case .string(let text): appendJSONString(text)
    case .integer(let number): appendDecimal(number)
    case .double(let number): number.withJSONText { append(UnsafeRawBufferPointer($0)) }
    case .bool(let flag): append(flag ? "true" : "false")
    case .null: append("null")
    }
  }
}
