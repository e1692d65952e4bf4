extension Dimension {
  /// The syntax of all dimensions, for messages and help texts.
  package static let forms =
    "ctx.KEY, props.KEY, step.ID.props.KEY, step.ID.ctx.KEY, day, week, month, hour, weekday or version"

  /// Returns a suggestion for a text that is not a dimension: `did you mean ctx.variant?`, or the list of all forms.
  package static func advice(insteadOf text: String) -> String {
    let suggestions = suggestions(for: text)
    return suggestions.isEmpty ? "give \(forms)" : "did you mean \(suggestions.joined(separator: " or "))?"
  }

  /// Returns the dimensions most similar to a text that is not one.
  private static func suggestions(for text: String) -> [String] {
    let words = ["day", "week", "month", "hour", "weekday", "version"]
    if let word = NearestName.find(text.lowercased(), in: words) ?? words.first(where: { $0 == text.lowercased() }) {
      return [word]
    }
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    if parts.count == 2, let area = area(named: parts[0]) {
      if area == "step" { return stepForms(parts[1]) }
      return ["\(area).\(parts[1].isEmpty ? "KEY" : parts[1])"]
    }
    return ["ctx", "props"].map { "\($0).\(text)" }.filter { !text.isEmpty && Dimension($0) != nil }
  }

  /// Returns the area (`ctx`, `props` or `step`) of which a word is a synonym or a misspelling, or `nil` if there is none.
  private static func area(named word: String) -> String? {
    let word = word.lowercased()
    let synonyms = ["context": "ctx", "prop": "props", "property": "props", "properties": "props", "steps": "step"]
    let areas = ["ctx", "props", "step"]
    return synonyms[word] ?? areas.first { $0 == word } ?? NearestName.find(word, in: areas)
  }

  /// Returns the dimensions that the text after `step.` may stand for: `photos.trigger` may be a property or a context value.
  private static func stepForms(_ text: String) -> [String] {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard NameSyntax.matches(parts[0]) else { return [] }
    guard parts.count == 2, !parts[1].isEmpty else { return ["step.\(parts[0]).props.KEY", "step.\(parts[0]).ctx.KEY"] }
    let names = parts[1].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    if let area = area(named: names[0]), area != "step" {
      return ["step.\(parts[0]).\(area).\(names.count == 2 && !names[1].isEmpty ? names[1] : "KEY")"]
    }
    return ["step.\(parts[0]).props.\(parts[1])", "step.\(parts[0]).ctx.\(parts[1])"]
  }
}
