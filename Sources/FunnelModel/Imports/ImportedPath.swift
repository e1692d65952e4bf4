/// The place of a value in a foreign record: the keys on the way to it, as in `properties.cart.total`.
///
/// A list of pairs of key and value, such as `event_params` of Google Analytics, is read like an object.
public struct ImportedPath: Hashable, Sendable, CustomStringConvertible {
  /// The path as it was written.
  public let text: String
  /// The keys on the way, at least one.
  public let keys: [String]

  /// Creates the path that a text with dots names, or nil if one of its keys is empty.
  public init?(_ text: String) {
    let keys = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard keys.allSatisfy({ !$0.isEmpty }) else { return nil }
    self.text = text
    self.keys = keys
  }

  /// Creates the path of a column, whose name may contain dots.
  public init(column: String) {
    text = column
    keys = [column]
  }

  public var description: String { text }
}

extension ImportedPath: ExpressibleByStringLiteral {
  /// Creates the path that a literal names.
  public init(stringLiteral text: String) {
    guard let path = ImportedPath(text) else { preconditionFailure("a path has no empty keys: \(text)") }
    self = path
  }
}
