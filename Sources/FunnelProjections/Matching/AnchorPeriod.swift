import FunnelModel

/// The period of a query: a group counts only if its anchor is in it, since ≤ t < until (specification section 3).
package struct AnchorPeriod: Sendable {
  /// The first millisecond of the period, since the epoch.
  @usableFromInline let first: Int64
  /// The last millisecond of the period, since the epoch; less than ``first`` if the period is empty.
  @usableFromInline let last: Int64

  /// The period of all times.
  static let unlimited = AnchorPeriod(first: .min, last: .max)

  private init(first: Int64, last: Int64) {
    self.first = first
    self.last = last
  }

  /// Creates the period of a query.
  init(query: ReportQuery) {
    let since = query.since?.milliseconds ?? .min
    guard let until = query.until?.milliseconds else {
      self.init(first: since, last: .max)
      return
    }
    if until == .min {
      // The period is empty, and `until - 1` would overflow.
      self.init(first: .max, last: .min)
    } else {
      self.init(first: since, last: until - 1)
    }
  }

  /// Returns whether a time, in milliseconds since the epoch, is in the period.
  @inlinable @inline(__always)
  package func contains(_ milliseconds: Int64) -> Bool { milliseconds >= first && milliseconds <= last }
}
