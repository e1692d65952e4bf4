/// The schema of one event property: the keywords of JSON Schema (draft 2020-12) that make sense for a scalar.
///
/// Any other keyword is refused when a definition is read: a constraint that is silently not checked is worse than none.
public struct PropertySchema: Hashable, Sendable {
  /// The types of JSON Schema a scalar can have.
  public enum ScalarType: String, Hashable, Sendable, CaseIterable {
    case string, integer, number, boolean, null
  }

  /// Allowed types; nil allows all.
  public var types: Set<ScalarType>?
  /// Allowed values; nil allows all.
  public var allowed: [PropertyValue]?
  public var constant: PropertyValue?
  public var minimum: Double?
  public var maximum: Double?
  /// Shortest string, in Unicode code points.
  public var minLength: Int?
  /// Longest string, in Unicode code points.
  public var maxLength: Int?
  /// A regular expression that must match somewhere in a string.
  public var pattern: String?

  /// A schema that allows everything.
  public init() {}
}
