import ArgumentParser
import FunnelModel

/// The options that name events: steps made up for one question, and events that exclude groups.
struct AdHocOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "A funnel of these steps instead of a defined flow, with commas between: \(EventKey.forms). With next: how many levels (default: 3).",
      valueName: "keys|number"))
  var steps: String?

  @Option(
    help: ArgumentHelp(
      "Leave out groups with this event between their first and their last step (repeatable).", valueName: "event"))
  var exclude: [String] = []

  /// Adds what the options say to a query.
  func apply(to query: inout ReportQuery) throws(FunnelError) {
    try applyExclusions(to: &query)
    query.steps = try steps.map(Self.keys) ?? []
  }

  /// Adds the excluded events to a query.
  func applyExclusions(to query: inout ReportQuery) throws(FunnelError) {
    for text in exclude where !query.exclusions.contains(text) {
      guard case .event = EventKey(text) else {
        throw FunnelError(
          .usage, "not an event, --exclude \(text.printable), write lower-case letters, digits and underscores, a letter first")
      }
      query.exclusions.append(text)
    }
  }

  private static func keys(_ text: String) throws(FunnelError) -> [EventKey] {
    var keys: [EventKey] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let key = try key(String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()), option: "--steps")
      guard !keys.contains(key) else {
        throw FunnelError(.usage, "a step twice, --steps \(key), the steps of a funnel are different ones, leave one out")
      }
      keys.append(key)
    }
    guard keys.count <= Limits.flowStepsMax else {
      throw FunnelError(.usage, "\(keys.count) steps, --steps, at most \(Limits.flowStepsMax) are allowed")
    }
    return keys
  }

  static func key(_ text: String, option: String) throws(FunnelError) -> EventKey {
    if let key = EventKey(text) { return key }
    throw FunnelError(.usage, "not an event, \(option) \(text.printable), give \(EventKey.forms)")
  }
}
