// Text of sentences about rules.

extension Int {
  /// The number, in milliseconds, as text in seconds: `1.5 s`.
  var inSeconds: String { "\(PropertyValue.double(Double(self) / 1000)) s" }
}

extension [String] {
  /// Returns the elements as a list in a sentence: `a`, `a and b`, `a, b and c`.
  package func listed(_ conjunction: String) -> String {
    guard count > 1, let last else { return first ?? "" }
    return "\(dropLast().joined(separator: ", ")) \(conjunction) \(last)"
  }
}
