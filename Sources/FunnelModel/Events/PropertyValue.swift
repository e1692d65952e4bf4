/// The value of an event property: a JSON scalar.
///
/// Values sort as follows: numbers by value, then strings and booleans by the UTF-8 bytes of their text, then null.
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
    case (.integer, .double), (.double, .integer), (.double, .double): lhs.number < rhs.number
    case (.string(let a), .string(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
    case (.bool(let a), .bool(let b)): !a && b
    // A string precedes a boolean with the same text, which makes the order total.
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

  private var number: Double {
    switch self {
    case .integer(let value): Double(value)
    case .double(let value): value
    case .string, .bool, .null: .nan
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

/// Encodes all properties of an event as a single value: a string with a JSON object, its keys sorted by their UTF-8 bytes.
///
/// Properties that are null are omitted, because a query does not distinguish them from absent ones. If none
/// remain, the value is null.
package enum PropertiesText {
  /// Returns the properties as one value.
  package static func encode(_ members: [(key: String, value: PropertyValue)]) -> PropertyValue {
    let members = members.filter { $0.value != .null }.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    guard !members.isEmpty else { return .null }
    var bytes: [UInt8] = []
    for (index, member) in members.enumerated() {
      bytes.append(text: index == 0 ? "{" : ",")
      bytes.appendJSONString(member.key)
      bytes.append(text: ":")
      member.value.appendJSON(to: &bytes)
    }
    bytes.append(text: "}")
    return .string(String(decoding: bytes, as: UTF8.self))
  }

  /// Returns a property's value as it is after encoding and decoding: a double whose JSON text is an integer
  /// becomes an integer.
  package static func normalized(_ value: PropertyValue) -> PropertyValue {
    guard case .double(let double) = value else { return value }
    return Int64(double.jsonText).map(PropertyValue.integer) ?? value
  }

  /// Returns the properties of a value of ``encode(_:)``, in the order of their keys. Any other value has none.
  package static func decode(_ value: PropertyValue) -> [(key: String, value: PropertyValue)] {
    guard case .string(let text) = value, let document = try? JSONDocument(parsing: Array(text.utf8)),
      case .object(let members) = document.root.value
    else { return [] }
    return members.compactMap { member in member.node.scalar.map { (member.key, $0) } }
  }
}
