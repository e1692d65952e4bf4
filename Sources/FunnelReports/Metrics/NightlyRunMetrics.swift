package import FunnelModel
import FunnelRendering

/// The metrics of a nightly run, for the textfile collector of node_exporter.
package struct NightlyRunMetrics: Sendable {
  /// The end of the last run without an error, by the system clock, or `nil` if there is none.
  package var lastSuccess: Timestamp?
  /// The end of this run, by the system clock.
  package var lastRun: Timestamp
  /// The duration of this run, in seconds.
  package var seconds: Double
  /// The number of events in the store, or `nil` if the store could not be opened.
  package var events: Int?
  /// The number of lines of this run by result.
  package var lines: KeyValuePairs<String, Int>
  /// The number of rejected lines by reason.
  package var rejected: [(reason: String, lines: Int)]
  /// The numbers of each flow version. Empty if they could not be computed.
  package var flows: [RecentNumbers]

  package init(
    lastSuccess: Timestamp?, lastRun: Timestamp, seconds: Double, events: Int?, lines: KeyValuePairs<String, Int>,
    rejected: [(reason: String, lines: Int)], flows: [RecentNumbers]
  ) {
    self.lastSuccess = lastSuccess
    self.lastRun = lastRun
    self.seconds = seconds
    self.events = events
    self.lines = lines
    self.rejected = rejected
    self.flows = flows
  }

  /// The metrics in Prometheus's text format.
  package var text: String {
    var output = PrometheusText()
    output.gauge(
      "funnel_last_success_timestamp_seconds", help: "When funnel nightly last ended without an error.",
      lastSuccess.map(Self.seconds))
    output.gauge(
      "funnel_last_run_timestamp_seconds", help: "When funnel nightly last ended, with or without an error.",
      Self.seconds(lastRun))
    output.gauge("funnel_run_duration_seconds", help: "How long the last run took.", seconds)
    output.gauge("funnel_events", help: "Events in the store.", events.map(Double.init))
    output.gauge(
      "funnel_ingested_lines", help: "Lines of the last run by result.",
      lines.map { .init(["result": $0], Double($1)) })
    output.gauge(
      "funnel_rejected_lines", help: "Rejected lines of the last run by reason.",
      rejected.map { .init(["reason": $0.reason], Double($0.lines)) })
    output.gauge(
      "funnel_entered_groups",
      help: "People, attempts or entries, as the flow counts, that entered it in \(Self.period).",
      flows.map { .init(Self.labels(of: $0), Double($0.entered)) })
    output.gauge(
      "funnel_conversion_ratio", help: "Share of them that completed the flow.",
      flows.compactMap { flow in flow.conversion.map { .init(Self.labels(of: flow), $0) } })
    output.gauge(
      "funnel_step_reached_ratio", help: "Share of them that reached a step.",
      flows.flatMap { flow in flow.reached.map { .init(Self.labels(of: flow, "step", $0.step), $0.ratio) } })
    output.gauge(
      "funnel_grant_ratio", help: "Share that granted a permission, of those asked for it in \(Self.period).",
      flows.flatMap { flow in flow.grants.map { .init(Self.labels(of: flow, "permission", $0.permission), $0.ratio) } })
    return output.text
  }

  /// The period of the numbers of flows, in words.
  private static let period = "the last \(RecentNumbers.recentDays) closed days"

  private static func seconds(_ time: Timestamp) -> Double { Double(time.milliseconds) / 1000 }

  private static func labels(of numbers: RecentNumbers) -> KeyValuePairs<String, String> {
    ["app": numbers.flow.app, "flow": numbers.flow.flow, "version": "\(numbers.flow.version)"]
  }

  private static func labels(of numbers: RecentNumbers, _ name: String, _ value: String) -> KeyValuePairs<String, String> {
    ["app": numbers.flow.app, "flow": numbers.flow.flow, "version": "\(numbers.flow.version)", "\(name)": value]
  }
}
