/// The schema of one event property, with the keywords of JSON Schema (draft 2020-12) that apply to scalars.
///
/// Any other keyword is rejected when a definition is read, because a constraint that is silently ignored is worse than none.
public struct PropertySchema: Hashable, Sendable {
  /// The JSON Schema types that a scalar can have.
  public enum ScalarType: String, Hashable, Sendable, CaseIterable {
    case string, integer, number, boolean, null
  }

  /// The allowed types, or nil to allow all.
  public var types: Set<ScalarType>?
  /// The allowed values, or nil to allow all.
  public var allowed: [PropertyValue]?
  public var constant: PropertyValue?
  public var minimum: Double?
  public var maximum: Double?
  /// The minimum length of a string, in Unicode code points.
  public var minLength: Int?
  /// The maximum length of a string, in Unicode code points.
  public var maxLength: Int?
  /// A regular expression that must match somewhere in a string.
  public var pattern: String?

  /// Creates a schema that allows everything.
  public init() {}
}
