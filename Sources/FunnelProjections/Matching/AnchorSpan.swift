import FunnelModel

/// The period in which a group may start to count: since ≤ t < until (specification section 3).
public struct AnchorSpan: Sendable {
  /// The first moment of the period, in milliseconds since the epoch.
  let first: Int64
  /// The last moment of the period; smaller than ``first`` if the period is empty.
  let last: Int64

  /// All of time.
  static let unlimited = AnchorSpan(first: .min, last: .max)

  private init(first: Int64, last: Int64) {
    self.first = first
    self.last = last
  }

  init(query: ReportQuery) {
    let since = query.since?.milliseconds ?? .min
    guard let until = query.until?.milliseconds else {
      (first, last) = (since, .max)
      return
    }
    // No moment precedes the smallest one, which has no predecessor to serve as the end of an empty period.
    (first, last) = until == .min ? (.max, .min) : (since, until - 1)
  }

  /// Returns whether a moment is in the period.
  @inline(__always)
  public func contains(_ milliseconds: Int64) -> Bool {
    milliseconds >= first && milliseconds <= last
  }
}
