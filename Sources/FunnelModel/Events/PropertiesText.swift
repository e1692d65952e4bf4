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
    bytes.appendJSONObject(members)
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
