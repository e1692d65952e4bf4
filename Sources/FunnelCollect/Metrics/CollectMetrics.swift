import FunnelRendering
import FunnelSystem

/// Counts what an endpoint receives, for `/metrics`. Safe for many threads.
///
/// Labels must come from bounded sets: names of dialects, statuses, apps of keys, and reasons. Nothing of a request, such as
/// a key or an address, may become one.
package final class CollectMetrics: Sendable {
  /// A pair of labels.
  private struct Labels: Hashable, Comparable, Sendable {
    let dialect: String
    let other: String

    static func < (lhs: Labels, rhs: Labels) -> Bool { (lhs.dialect, lhs.other) < (rhs.dialect, rhs.other) }
  }

  private struct Counters: Sendable {
    var requests: [Labels: Int] = [:]
    var events: [Labels: Int] = [:]
    var refused: [Labels: Int] = [:]
    var receivedBytes = 0
    var staleSentAt = 0
  }

  private let counters = Guarded(Counters())

  /// Creates counters that are all zero.
  package init() {}

  /// Counts a request by its dialect and the HTTP status of the answer.
  package func countRequest(dialect: String, status: Int) {
    counters.withLock { $0.requests[Labels(dialect: dialect, other: String(status)), default: 0] += 1 }
  }

  /// Counts events that were taken.
  package func countEvents(_ count: Int, dialect: String, app: String) {
    precondition(count >= 0, "counters only grow")
    counters.withLock { $0.events[Labels(dialect: dialect, other: app), default: 0] += count }
  }

  /// Counts records that became dead letters.
  package func countRefused(_ count: Int = 1, dialect: String, reason: String) {
    precondition(count >= 0, "counters only grow")
    counters.withLock { $0.refused[Labels(dialect: dialect, other: reason), default: 0] += count }
  }

  /// Counts the bytes of bodies as they were sent.
  package func countReceivedBytes(_ count: Int) {
    precondition(count >= 0, "counters only grow")
    counters.withLock { $0.receivedBytes += count }
  }

  /// Counts events whose `sent_at` was too far from `received_at` to correct their clock.
  package func countStaleSentAt(_ count: Int = 1) {
    precondition(count >= 0, "counters only grow")
    counters.withLock { $0.staleSentAt += count }
  }

  /// Returns the metrics in Prometheus's text format.
  package func text(_ spool: SpoolStatistics) -> String {
    let counters = counters.withLock { $0 }
    var output = PrometheusText()
    output.counter(
      "funnel_collect_requests_total", help: "Requests by dialect and status.", Self.samples(counters.requests, "status"))
    output.counter(
      "funnel_collect_events_total", help: "Events that were taken, by dialect and app.", Self.samples(counters.events, "app"))
    output.counter(
      "funnel_collect_refused_total", help: "Records that became dead letters, by dialect and reason.",
      Self.samples(counters.refused, "reason"))
    output.counter(
      "funnel_collect_received_bytes_total", help: "Bytes of bodies as they were sent.", [Self.sample(counters.receivedBytes)])
    output.counter("funnel_collect_fsyncs_total", help: "Flushes of the spool to the disk.", [Self.sample(spool.flushCount)])
    output.counter(
      "funnel_collect_stale_sent_at_total", help: "Events whose sent_at was too far from received_at to correct their clock.",
      [Self.sample(counters.staleSentAt)])
    output.gauge("funnel_collect_spool_bytes", help: "Bytes of the files in the spool.", Double(spool.bytes))
    output.gauge(
      "funnel_collect_seconds_behind", help: "Age of the oldest file that was not ingested yet.", spool.secondsBehind)
    return output.text
  }

  private static func sample(_ value: Int) -> PrometheusText.Sample { .init([:], Double(value)) }

  private static func samples(_ counts: [Labels: Int], _ name: String) -> [PrometheusText.Sample] {
    counts.sorted { $0.key < $1.key }.map { labels, count in
      .init(["dialect": labels.dialect, "\(name)": labels.other], Double(count))
    }
  }
}
