/// A regular expression of a property schema. It compiles, is limited in length, and has no costly nested repetition.
package struct SchemaPattern: Hashable, Sendable {
  /// The reason why a text is not a pattern.
  enum Problem: Error {
    case tooLong
    /// A repetition can take exponential time (``PatternCost``).
    case costly
    case notARegularExpression
  }

  /// The pattern as written.
  package let text: String

  /// Checks a regular expression.
  init(_ text: String) throws(Problem) {
    guard text.utf8.count <= Limits.patternBytesMax else { throw .tooLong }
    guard !PatternCost.isUnbounded(text) else { throw .costly }
    guard (try? Regex(text)) != nil else { throw .notARegularExpression }
    self.text = text
  }

  /// Compiles the pattern. The result is not thread-safe.
  func compiled() -> Regex<AnyRegexOutput> {
    guard let regex = try? Regex(text) else { preconditionFailure("a text that compiled once compiles again") }
    return regex
  }

  /// Returns whether a compiled pattern matches anywhere in a text, by code points as JSON Schema requires. A text longer
  /// than ``Limits/patternTextScalarsMax`` does not match.
  static func matches(_ regex: Regex<AnyRegexOutput>, _ text: String) -> Bool {
    guard text.unicodeScalars.prefix(Limits.patternTextScalarsMax + 1).count <= Limits.patternTextScalarsMax else {
      return false
    }
    // An error while matching counts as no match.
    return (try? regex.matchingSemantics(.unicodeScalar).firstMatch(in: text)) != nil
  }
}
