/// The schema of one event property, with the keywords of JSON Schema (draft 2020-12) that apply to scalars.
///
/// Definitions with any other keyword are rejected, because a constraint that is silently ignored is worse than none.
public struct PropertySchema: Hashable, Sendable {
  /// The JSON Schema types that a scalar can have.
  public enum ScalarType: String, Hashable, Sendable, CaseIterable {
    case string, integer, number, boolean, null
  }

  /// The allowed types, or `nil` to allow all.
  public var types: Set<ScalarType>?
  /// The allowed values, or `nil` to allow all.
  public var allowed: [PropertyValue]?
  /// The only allowed value, or `nil` to allow all.
  public var constant: PropertyValue?
  /// The minimum of a number, inclusive, or `nil` for no bound.
  public var minimum: Double?
  /// The maximum of a number, inclusive, or `nil` for no bound.
  public var maximum: Double?
  /// The minimum length of a string, in Unicode code points, or `nil` for no bound.
  public var minLength: Int?
  /// The maximum length of a string, in Unicode code points, or `nil` for no bound.
  public var maxLength: Int?
  /// A regular expression that must match anywhere in a string, or `nil` to allow all strings.
  public var pattern: String?

  /// Creates a schema that allows everything.
  public init() {}
}
