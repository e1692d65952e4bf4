import FunnelModel
import FunnelRendering

/// The options of a served page, as messages on it name them: the label of a control, with a link that sets the option.
struct PageOptions {
  /// The path of the page.
  let path: ServedPath
  /// The request of the page.
  let request: ServedRequest
  /// The kind of the request.
  var kind = ServedRequest.Kind.reports

  /// The options that messages recommend with a value, which has no spaces, and those that are flags.
  private static let linkedNames: Set = [
    "order", "count-by", "mature", "internal", "attribution", "window", "since", "until", "versus", "stratify", "open-too",
    "drop-mixed", "keys",
  ]

  /// The options whose controls are on a page only if they are set.
  private static let hiddenNames: Set = [
    "now", "as-of", "tz", "internal", "attribution", "min-groups", "exclude", "merge-limit", "anchor", "steps",
  ]

  /// Returns the control for options that a message mentions, or `nil` if the page does not have all of them.
  func control(of options: [OptionMention]) -> OptionControl? {
    var target = request
    for option in options {
      // An empty value of an option is accepted, an unknown option is not.
      guard (try? ServedRequest([(option.name, "")], for: kind)) != nil else { return nil }
      target = target.without([option.name]).adding(option.name, option.value ?? "true")
    }
    let words = options.map { option in
      PageControls.label(of: option.name) + (option.value.map { ": \($0)" } ?? "")
    }
    let isLinked = options.allSatisfy { option in
      Self.linkedNames.contains(option.name) && (option.value != nil || isFlag(option.name)) && !isSet(option)
    }
    if isLinked { return OptionControl(words.joined(separator: ", "), target: path.description + target.query) }
    let areShown = options.allSatisfy { !Self.hiddenNames.contains($0.name) || !request.values(of: $0.name).isEmpty }
    return areShown ? OptionControl(words.joined(separator: ", ")) : nil
  }

  /// Whether an option has no value.
  private func isFlag(_ name: String) -> Bool { (try? ServedRequest([(name, nil)], for: kind)) != nil }

  private func isSet(_ option: OptionMention) -> Bool { request.values(of: option.name).last == option.value ?? "true" }
}
