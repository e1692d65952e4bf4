import FunnelModel

/// A property of an event with all the schemas that a flow definition declares for it. A value must conform to each schema.
struct DeclaredProperty: Hashable {
  let event: String
  let key: String
  let schemas: [PropertySchema]
  let isRequired: Bool
  /// Values that only older builds of the app logged.
  let oldValues: Set<String>

  /// The allowed values, or `nil` if the schemas do not list any value other than null.
  var values: [PropertyValue]? {
    let lists = schemas.compactMap { $0.constant.map { [$0] } ?? $0.allowed }
    guard let first = lists.first else { return nil }
    var values: [PropertyValue] = []
    for value in first where !values.contains(value) {
      if case .string(let text) = value, oldValues.contains(text) { continue }
      if schemas.allSatisfy({ $0.violation(of: value, key: key) == nil }) { values.append(value) }
    }
    // Null means an absent value, so a list of only null has nothing to choose from.
    return values.contains { $0 != .null } ? values : nil
  }

  /// The allowed types, without null, which is equivalent to an absent value.
  var types: Set<PropertySchema.ScalarType> {
    var types: Set<PropertySchema.ScalarType> = [.string, .integer, .number, .boolean]
    for allowed in schemas.compactMap(\.types) {
      let withIntegers = allowed.contains(.number) ? allowed.union([.integer]) : allowed
      types.formIntersection(withIntegers)
    }
    return types
  }

  /// A description of the bounds, lengths and patterns for a comment, or `nil` if there are none.
  var constraint: String? {
    var parts: [String] = []
    for schema in schemas {
      if let minimum = schema.minimum { parts.append("at least \(PropertyValue.double(minimum))") }
      if let maximum = schema.maximum { parts.append("at most \(PropertyValue.double(maximum))") }
      if let length = schema.minLength { parts.append("at least \(length) characters") }
      if let length = schema.maxLength { parts.append("at most \(length) characters") }
      if let pattern = schema.pattern { parts.append("matches \(pattern.text)") }
    }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}

/// Builds the enumerations for the properties of a flow that have a list of allowed values.
///
/// Properties with the same key and the same values share an enumeration. If a key has different values in
/// different events, the name of the enumeration includes the event.
struct EnumerationTable {
  private(set) var enumerations: [FlowBindings.Enumeration] = []
  /// The distinct lists of values of each key.
  private let listsByKey: [String: [[PropertyValue]]]
  private var indices: [EnumerationKey: Int] = [:]

  /// The identity of an enumeration.
  private struct EnumerationKey: Hashable {
    let key: String
    let values: [PropertyValue]
  }

  /// - Parameter properties: All properties of the flow.
  init(_ properties: [DeclaredProperty]) {
    var lists: [String: [[PropertyValue]]] = [:]
    for property in properties {
      guard let values = property.values, lists[property.key]?.contains(values) != true else { continue }
      lists[property.key, default: []].append(values)
    }
    listsByKey = lists
  }

  /// Returns a property as a parameter. Adds an enumeration if the property needs a new one.
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

  /// Returns the index of the enumeration for a property. Adds it if it is new.
  private mutating func index(of property: DeclaredProperty, _ values: [PropertyValue]) -> Int {
    assert(!values.isEmpty, "an enumeration has values")
    let enumerationKey = EnumerationKey(key: property.key, values: values)
    if let index = indices[enumerationKey] { return index }
    let isShared = (listsByKey[property.key] ?? []).count <= 1
    let owner = isShared ? [] : Identifier.words(property.event)
    enumerations.append(
      FlowBindings.Enumeration(
        words: owner + Identifier.words(property.key) + ["value"],
        subject: isShared ? property.key : "\(property.key) of \(property.event)", values: values))
    indices[enumerationKey] = enumerations.count - 1
    return enumerations.count - 1
  }
}
