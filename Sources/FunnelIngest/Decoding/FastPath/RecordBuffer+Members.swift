import FunnelModel

extension RecordBuffer {
  /// Returns an upper bound of the bytes that members take as a JSON object.
  @inline(__always)
  static func objectBytesMax(_ members: EventMembers) -> Int {
    if let known = members.known { return Int(known.pointee.canonicalCount) }
    var total = 2
    for index in 0..<members.count {
      total += jsonStringBytesMax(members[index].key.count) + 2
      // The longest text of a double that is a whole number has 309 digits.
      if case .string(let text) = members[index].value {
        total += jsonStringBytesMax(text.count)
      } else {
        total += 340
      }
    }
    return total
  }

  /// Appends members as a JSON object.
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
