import FunnelModel

/// An option whose value is one of a few words.
enum ChoiceOption {
  /// Returns the choice that a text names, or `nil` if there is no text. Throws `usage` if the text is not a choice.
  static func choice<Choice: RawRepresentable & CaseIterable>(
    _ text: String?, option: String
  ) throws(FunnelError) -> Choice? where Choice.RawValue == String {
    guard let text else { return nil }
    if let choice = Choice(rawValue: text) { return choice }
    let all = Choice.allCases.map(\.rawValue)
    let hint = NearestName.find(text, in: all).map { "did you mean \($0)?" } ?? "give \(all.joined(separator: ", "))"
    throw FunnelError(.usage, "unknown value, \(option) \(text.printable), \(hint)")
  }
}

/// The `--by` option: a key by whose values a report is segmented.
enum DimensionOption {
  /// Parses a dimension. Throws `usage` if it is not valid for `--by`.
  static func dimension(_ text: String) throws(FunnelError) -> Dimension {
    if let dimension = Dimension(text) {
      guard dimension != .subject else {
        throw FunnelError(
          .usage,
          "subject can be used only in conditions, --by subject, list people with 'funnel groups', or use --where subject=ID")
      }
      return dimension
    }
    throw FunnelError(.usage, "not a key, --by \(text.printable), \(Dimension.advice(insteadOf: text))")
  }
}
