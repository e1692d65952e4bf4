import ArgumentParser
import FunnelModel
import FunnelReports

/// The options of a report that name events: steps made up for this report, events that exclude groups, and the event whose following
/// ones are counted.
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

  @Option(help: ArgumentHelp("What next counts from: \(EventKey.forms).", valueName: "key"))
  var after: String?

  /// Whether the report is about steps instead of flows that are defined.
  func namesSteps(for selection: ReportSelection) -> Bool { steps != nil && !selection.isOfNext }

  /// Adds what the options say to a query.
  func apply(to query: inout ReportQuery, for selection: ReportSelection) throws(FunnelError) {
    for text in exclude where !query.exclusions.contains(text) {
      guard case .event = EventKey(text) else {
        throw FunnelError(
          .usage, "not an event, --exclude \(text.printable), write lower-case letters, digits and underscores, a letter first")
      }
      query.exclusions.append(text)
    }
    guard selection.isOfNext else {
      if let after {
        throw FunnelError(
          .usage, "--after \(after.printable) without next, write: funnel report next --after \(after.printable)")
      }
      query.steps = try steps.map(Self.keys) ?? []
      return
    }
    guard let after else {
      throw FunnelError(.usage, "next without --after, name an event, such as: funnel report next --after step:welcome")
    }
    query.after = try Self.key(after, option: "--after")
    query.depth = try steps.map(Self.depth) ?? query.depth
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

  private static func key(_ text: String, option: String) throws(FunnelError) -> EventKey {
    if let key = EventKey(text) { return key }
    throw FunnelError(.usage, "not an event, \(option) \(text.printable), give \(EventKey.forms)")
  }

  private static func depth(_ text: String) throws(FunnelError) -> Int {
    if let depth = Int(text), (1...Limits.pathEventsMax).contains(depth) { return depth }
    throw FunnelError(
      .usage, "not a number of levels, --steps \(text.printable), next takes a number from 1 to \(Limits.pathEventsMax)")
  }
}

extension ReportSelection {
  /// Whether the report is the one of what follows an event.
  fileprivate var isOfNext: Bool { names == [NextReport.name] }
}
