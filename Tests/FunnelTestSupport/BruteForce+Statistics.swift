import FunnelSequences
import FunnelModel
import FunnelProjections
import FunnelReports

extension BruteForce {
  func key(_ segment: Segment) -> RowKey {
    RowKey(app: flow.app, flow: flow.flow, version: flow.version, segment: segment.values)
  }

  func share(_ count: Int, _ total: Int) -> Double? { total == 0 ? nil : Double(count) / Double(total) }

  /// Returns a rate with its 95 % Wilson interval, whose bounds are the roots of (p − x)² = z²·x·(1 − x)/n.
  func rate(_ count: Int, _ total: Int) -> Rate? {
    guard total > 0 else { return nil }
    let (p, n, z) = (Double(count) / Double(total), Double(total), 1.959963984540054)
    let (a, b, c) = (1 + z * z / n, -2 * p - z * z / n, p * p)
    let root = (b * b - 4 * a * c).squareRoot()
    return Rate(value: p, low: (-b - root) / (2 * a), high: (-b + root) / (2 * a), denominator: total)
  }

  func quantiles(_ values: [Int64]) -> Quantiles? {
    guard !values.isEmpty else { return nil }
    return Quantiles(
      p50: Self.nearestRank(values, 50), p90: Self.nearestRank(values, 90), p99: Self.nearestRank(values, 99))
  }
}
