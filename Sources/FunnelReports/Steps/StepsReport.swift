package import FunnelModel
import FunnelRendering

/// The report of `funnel report steps`: completions, skips, failures, views and the time on each step.
package enum StepsReport: NamedReport {
  package typealias Projector = StepsProjector

  package static let name = "steps"
  package static let heading = "Steps"
  package static let effectOfPeopleInProgress: String? =
    "what they have not done yet is missing"

  package static let fields: [Field<StepsRow>] = [
    .segment,
    .count("entered") { $0.entered },
    .list(
      "steps",
      [
        .text("id") { $0.id },
        .text("label") { $0.label },
        .flag("optional") { $0.isOptional },
        .count("reached") { $0.reached },
        .count("completed") { $0.completed },
        .count("skipped") { $0.skipped },
        .count("back") { $0.back },
        .count("failed") { $0.failed },
        .openCounts("failures") { $0.failures.map { (name: $0.name, count: $0.count) } },
        .count("views") { $0.views },
        .quantiles("time_ms") { $0.time },
        .tree("values") { .object($0.values.map { ("props.\($0.key)", tree(of: $0)) }) },
      ], { $0.steps }),
  ]

  private static func tree(of summary: PropertySummary) -> JSONValue {
    var members: [(String, JSONValue)] = [("count", .count(summary.count))]
    if let mean = summary.mean, let min = summary.min, let max = summary.max {
      members += [("mean", .number(mean)), ("min", .value(min)), ("max", .value(max))]
    }
    let top = summary.top.map { JSONValue.object([("value", .value($0.value)), ("count", .count($0.count))]) }
    return .object(members + [("top", .array(top))])
  }
}

/// The steps report of one flow version in one segment.
package struct StepsRow: ReportRow {
  package var key: RowKey
  package var title: String
  package var entered: Int
  /// Whether the flow asks for permissions. A skipped permission counts as a skip of its step.
  package var asksPermissions = false
  package var steps: [StepsStepRow]

  package var groups: Int { entered }
}

/// The numbers of one step.
package struct StepsStepRow: Hashable, Sendable {
  package var id: String
  package var label: String
  package var isOptional: Bool
  /// The number of groups that reached the step, or `nil` for an optional step if steps may come in any order.
  package var reached: Int?
  /// The number of groups that completed the step during their stay.
  package var completed: Int
  /// The number of groups that skipped the step during their stay.
  package var skipped: Int
  /// The number of groups that went back from the step during their stay.
  package var back: Int
  /// The number of groups that failed at the step during their stay.
  package var failed: Int
  /// The failures by reason, most frequent first.
  package var failures: [NamedCount]
  /// The number of times that the step was entered during the stays.
  package var views: Int
  /// The time from the match to the completion or, without one, to the match of the next required step.
  package var time: Quantiles?
  /// The properties of the completions.
  package var values: [PropertySummary]
}
