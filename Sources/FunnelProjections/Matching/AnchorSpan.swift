import FunnelModel

/// The moments at which a group may start to count: since ≤ t < until (specification section 3).
struct AnchorSpan: Sendable {
  /// The earliest moment of the span.
  let first: Int64
  /// The latest moment of the span; smaller than ``first`` where the span is empty.
  let last: Int64

  init(query: ReportQuery) {
    let since = query.since?.milliseconds ?? .min
    guard let until = query.until?.milliseconds else {
      (first, last) = (since, .max)
      return
    }
    // Nothing comes before the smallest moment, and it has no predecessor to serve as the end of an empty span.
    (first, last) = until == .min ? (.max, .min) : (since, until - 1)
  }

  @inline(__always)
  func contains(_ milliseconds: Int64) -> Bool {
    milliseconds >= first && milliseconds <= last
  }
}
