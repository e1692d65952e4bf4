import ArgumentParser
import FunnelKit
import FunnelModel

/// The options `--steps` and `--exclude`: the steps of an ad-hoc flow, and events that exclude groups.
struct AdHocOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Use these steps, separated by commas, instead of a defined flow: \(EventKey.forms). With next: the number of levels (default: 3).",
      valueName: "keys|number"))
  var steps: String?
  // The report decides how `--steps` is read, and is known only when all options are parsed.

  @Option(
    help: ArgumentHelp(
      "Leave out people with this event between their first and last step (repeatable).", valueName: "event"))
  var exclude: [String] = []

  /// Adds the excluded events to a query, and the steps of an ad-hoc flow.
  ///
  /// - Throws: `usage` if an option is not valid.
  func apply(to query: inout ReportQuery) throws(FunnelError) {
    try applyExclusions(to: &query)
    if let steps { query.steps = try Self.keys(steps) }
  }

  /// Returns the number of levels of the report `next`, or `nil` if it is not given.
  ///
  /// - Throws: `usage` if `--steps` is not a number of levels.
  func levelCount() throws(FunnelError) -> Int? {
    guard let steps else { return nil }
    if let count = Int(steps), (1...Limits.pathEventsMax).contains(count) { return count }
    throw FunnelError(
      .usage, "not a number of levels, --steps \(steps.printable), give next a number from 1 to \(Limits.pathEventsMax)")
  }

  /// Adds the excluded events to a query.
  func applyExclusions(to query: inout ReportQuery) throws(FunnelError) {
    for text in exclude where !query.exclusions.contains(text) {
      guard case .event = EventKey(text) else {
        throw FunnelError(
          .usage,
          "not an event, --exclude \(text.printable), write lower-case letters, digits and underscores, beginning with a letter"
        )
      }
      query.exclusions.append(text)
    }
  }

  /// Parses a list of different event keys, separated by commas.
  private static func keys(_ text: String) throws(FunnelError) -> [EventKey] {
    var keys: [EventKey] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let key = try key(part.trimmingSpaces, option: "--steps")
      guard !keys.contains(key) else {
        throw FunnelError(.usage, "a step given twice, --steps \(key), each step of a funnel must be different, leave one out")
      }
      keys.append(key)
    }
    guard keys.count <= Limits.flowStepsMax else {
      throw FunnelError(.usage, "too many steps, --steps, \(keys.count) of at most \(Limits.flowStepsMax), leave some out")
    }
    return keys
  }

  /// Parses an event key.
  ///
  /// - Parameter option: The option that has the key, for the error.
  static func key(_ text: String, option: String) throws(FunnelError) -> EventKey {
    if let key = EventKey(text) { return key }
    let advice = ImportedNameHint.text(for: text) ?? "give \(EventKey.forms)"
    throw FunnelError(.usage, "not an event, \(option) \(text.printable), \(advice)")
  }
}

extension Substring {
  /// The text without the spaces at its beginning and end.
  fileprivate var trimmingSpaces: String {
    guard let first = firstIndex(where: { $0 != " " }), let last = lastIndex(where: { $0 != " " }) else { return "" }
    return String(self[first...last])
  }
}
