import ArgumentParser
import FunnelModel

/// The options `--steps` and `--exclude`: the steps of an ad-hoc flow, and events that exclude groups.
struct AdHocOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Use these steps, separated by commas, instead of a defined flow: \(EventKey.forms). With next: the number of levels (default: 3).",
      valueName: "keys|number"))
  var steps: String?

  @Option(
    help: ArgumentHelp(
      "Leave out people with this event between their first and last step (repeatable).", valueName: "event"))
  var exclude: [String] = []

  /// Adds the steps and the excluded events to a query.
  ///
  /// - Throws: `usage` if an option is not valid.
  func apply(to query: inout ReportQuery) throws(FunnelError) {
    try applyExclusions(to: &query)
    query.steps = try steps.map(Self.keys) ?? []
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
      let key = try key(String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()), option: "--steps")
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
    throw FunnelError(.usage, "not an event, \(option) \(text.printable), give \(EventKey.forms)")
  }
}
