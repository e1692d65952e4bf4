/// The path to a value in an imported record: the keys from the root, such as `properties.cart.total`.
///
/// An array of key-value pairs, such as `event_params` of Google Analytics, is treated as an object.
package struct ImportedPath: Hashable, Sendable, CustomStringConvertible {
  /// The path as written.
  package let text: String
  /// The keys from the root to the value, at least one.
  package let keys: [String]

  /// Parses keys with dots between them, or returns `nil` if a key is empty.
  package init?(_ text: String) {
    let keys = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard keys.allSatisfy({ !$0.isEmpty }) else { return nil }
    self.text = text
    self.keys = keys
  }

  /// Creates the path of a CSV column, whose name may contain dots.
  package init(column: String) {
    text = column
    keys = [column]
  }

  package var description: String { text }
}

extension ImportedPath: ExpressibleByStringLiteral {
  /// Creates a path from a literal.
  ///
  /// - Precondition: The literal is a valid path.
  package init(stringLiteral text: String) {
    guard let path = ImportedPath(text) else { preconditionFailure("a path has no empty keys: \(text)") }
    self = path
  }
}
