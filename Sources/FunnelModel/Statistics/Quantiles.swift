/// The 50th, 90th and 99th percentile of durations, in milliseconds.
package struct Quantiles: Hashable, Sendable {
  package let p50: Int64
  package let p90: Int64
  package let p99: Int64

  package init(p50: Int64, p90: Int64, p99: Int64) {
    self.p50 = p50
    self.p90 = p90
    self.p99 = p99
  }
}
