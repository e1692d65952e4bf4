/// The value of an event property: a JSON scalar.
///
/// Values sort as follows: numbers by value, then strings and booleans by the UTF-8 bytes of their text, then null. The
/// order is total: an integer precedes the double of the same value, and a string the boolean with the same text.
///
/// Strings are equal if their UTF-8 bytes are equal. `String` equality ignores differences in Unicode
/// normalization, so the spelling in a report would depend on the order of the events.
package enum PropertyValue: Sendable {
  case string(String)
  case integer(Int64)
  case double(Double)
  case bool(Bool)
  case null
}

extension PropertyValue: Hashable {
  package static func == (lhs: PropertyValue, rhs: PropertyValue) -> Bool {
    switch (lhs, rhs) {
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    case (.integer(let a), .integer(let b)): a == b
    case (.double(let a), .double(let b)): a == b
    case (.bool(let a), .bool(let b)): a == b
    case (.null, .null): true
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(rank)
    switch self {
    case .string(let text): for byte in text.utf8 { hasher.combine(byte) }
    case .integer(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value)
    case .bool(let value): hasher.combine(value)
    case .null: break
    }
  }
}

extension PropertyValue: Comparable {
  package static func < (lhs: PropertyValue, rhs: PropertyValue) -> Bool {
    switch (lhs, rhs) {
    case (.integer(let a), .integer(let b)): a < b
    case (.double(let a), .double(let b)): a < b
    // The comparison is exact, because rounding would make a double equal to several different integers.
    case (.integer, .double(let b)): lhs.order(to: b) != .after
    case (.double(let a), .integer): rhs.order(to: a) == .after
    case (.string(let a), .string(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
    case (.bool(let a), .bool(let b)): !a && b
    case (.string, .bool): !rhs.description.utf8.lexicographicallyPrecedes(lhs.description.utf8)
    case (.bool, .string): lhs.description.utf8.lexicographicallyPrecedes(rhs.description.utf8)
    default: lhs.rank < rhs.rank
    }
  }

  /// The position of the value's type in the sort order.
  fileprivate var rank: Int {
    switch self {
    case .integer, .double: 0
    case .string, .bool: 1
    case .null: 2
    }
  }
}

extension PropertyValue: CustomStringConvertible {
  /// The value in the syntax of the command line: a string without quotes, a number, `true`, `false` or `null`.
  package var description: String {
    switch self {
    case .string(let value): value
    case .integer(let value): String(value)
    case .double(let value):
      value.description.hasSuffix(".0") ? String(value.description.dropLast(2)) : value.description
    case .bool(let value): String(value)
    case .null: "null"
    }
  }

  /// Appends the value as JSON.
  package func appendJSON(to bytes: inout [UInt8]) {
    switch self {
    case .string(let value): bytes.appendJSONString(value)
    case .integer(let value): bytes.appendDecimal(value)
    case .double(let value): bytes.appendJSONNumber(value)
    case .bool(let value): bytes.append(text: value ? "true" : "false")
    case .null: bytes.append(text: "null")
    }
  }
}

extension [UInt8] {
  /// Appends properties as a JSON object, in their order.
  package mutating func appendJSONObject(_ members: [(key: String, value: PropertyValue)]) {
    append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      appendJSONString(member.key)
      append(UInt8(ascii: ":"))
      member.value.appendJSON(to: &self)
    }
    append(UInt8(ascii: "}"))
  }
}
