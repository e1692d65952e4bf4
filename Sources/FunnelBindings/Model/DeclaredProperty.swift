import FunnelModel

/// A property of an event, with every schema that its values must conform to.
struct DeclaredProperty: Hashable {
  var event: String
  var key: String
  var schemas: [PropertySchema]
  var isRequired: Bool
  /// Values that only older builds logged.
  var oldValues: Set<String>

  /// The values the property may have, or nil if its schemas do not list them.
  var values: [PropertyValue]? {
    let lists = schemas.compactMap { $0.constant.map { [$0] } ?? $0.allowed }
    guard let first = lists.first else { return nil }
    var values: [PropertyValue] = []
    for value in first where !values.contains(value) {
      if case .string(let text) = value, oldValues.contains(text) { continue }
      if schemas.allSatisfy({ $0.violation(of: value, key: key) == nil }) { values.append(value) }
    }
    // If no value is allowed, or only null, which stands for an absent one, there is nothing to choose from.
    return values.contains { $0 != .null } ? values : nil
  }

  /// The types the values may have; null is left out, because an absent value says the same.
  var types: Set<PropertySchema.ScalarType> {
    var types: Set<PropertySchema.ScalarType> = [.string, .integer, .number, .boolean]
    for allowed in schemas.compactMap(\.types) {
      let withIntegers = allowed.contains(.number) ? allowed.union([.integer]) : allowed
      types.formIntersection(withIntegers)
    }
    return types
  }

  /// The bounds, lengths and patterns, as a comment, or nil if there are none.
  var constraint: String? {
    var parts: [String] = []
    for schema in schemas {
      if let minimum = schema.minimum { parts.append("at least \(PropertyValue.double(minimum))") }
      if let maximum = schema.maximum { parts.append("at most \(PropertyValue.double(maximum))") }
      if let length = schema.minLength { parts.append("at least \(length) characters") }
      if let length = schema.maxLength { parts.append("at most \(length) characters") }
      if let pattern = schema.pattern { parts.append("matches \(pattern)") }
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}

/// The sets of values that the properties of a flow may have, each with a name.
///
/// Properties with the same key and the same values share a set. Where events differ in the values of a key, the event is part of the name.
struct EnumerationTable {
  private(set) var enumerations: [FlowBindings.Enumeration] = []
  /// The different lists of values of each key.
  private let listsByKey: [String: [[PropertyValue]]]
  private var indices: [Place: Int] = [:]

  private struct Place: Hashable {
    var key: String
    var values: [PropertyValue]
  }

  init(_ properties: [DeclaredProperty]) {
    var lists: [String: [[PropertyValue]]] = [:]
    for property in properties {
      guard let values = property.values, lists[property.key]?.contains(values) != true else { continue }
      lists[property.key, default: []].append(values)
    }
    listsByKey = lists
  }

  /// Returns a property with its type.
  mutating func parameter(_ property: DeclaredProperty) -> FlowBindings.Parameter {
    FlowBindings.Parameter(
      key: property.key, type: type(of: property), isRequired: property.isRequired,
      constraint: property.values == nil ? property.constraint : nil)
  }

  private mutating func type(of property: DeclaredProperty) -> FlowBindings.ParameterType {
    if let values = property.values { return .enumeration(index(of: property, values)) }
    return switch property.types {
    case [.string]: .string
    case [.integer]: .integer
    case [.number, .integer], [.number]: .number
    case [.boolean]: .boolean
    default: .scalar
    }
  }

  private mutating func index(of property: DeclaredProperty, _ values: [PropertyValue]) -> Int {
    let place = Place(key: property.key, values: values)
    if let index = indices[place] { return index }
    let isShared = (listsByKey[property.key] ?? []).count <= 1
    let owner = isShared ? [] : Identifier.words(property.event)
    enumerations.append(
      FlowBindings.Enumeration(
        words: owner + Identifier.words(property.key) + ["value"],
        subject: isShared ? property.key : "\(property.key) of \(property.event)", values: values))
    indices[place] = enumerations.count - 1
    return enumerations.count - 1
  }
}
