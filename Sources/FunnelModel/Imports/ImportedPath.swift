/// The path to a value in an imported record: the keys from the root, such as `properties.cart.total`.
///
/// An array of key-value pairs, such as `event_params` of Google Analytics, is treated as an object.
package struct ImportedPath: Hashable, Sendable, CustomStringConvertible {
  /// The path as written.
  package let text: String
  /// The keys from the root to the value, at least one.
  package let keys: [String]
  /// The keys from the root to the value if the record has none at ``keys``, or `nil` if there are no others.
  package let alternativeKeys: [String]?

  /// Parses keys with dots between them, or returns `nil` if a key is empty.
  package init?(_ text: String) {
    let keys = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard keys.allSatisfy({ !$0.isEmpty }) else { return nil }
    self.text = text
    self.keys = keys
    alternativeKeys = nil
  }

  /// Creates the path of a CSV column, or of a key of somebody's own JSON, whose name may contain dots.
  ///
  /// If a record has no such column or key, the text is a path with dots. It may lead into a cell that contains JSON.
  package init(column: String) {
    text = column
    keys = [column]
    let path = ImportedPath(column)?.keys
    alternativeKeys = path?.count == 1 ? nil : path
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
