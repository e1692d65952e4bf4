package import FunnelModel

/// The period of a state, and the moment as of which it was counted.
package struct StatePeriod: Hashable, Sendable {
  /// The inclusive lower bound of the anchors of counted groups, or `nil` if there is none.
  package let since: Timestamp?
  /// The exclusive upper bound of the anchors of counted groups, or `nil` if there is none.
  package let until: Timestamp?
  /// The moment as of which groups were counted.
  package let now: Timestamp

  package init(of query: ReportQuery) {
    self.init(since: query.since, until: query.until, now: query.now)
  }

  init(since: Timestamp?, until: Timestamp?, now: Timestamp) {
    self.since = since
    self.until = until
    self.now = now
  }

  /// Returns whether the period ends before or at the start of another.
  func precedes(_ other: StatePeriod) -> Bool {
    guard let until, let start = other.since else { return false }
    return until <= start
  }

  /// Returns whether all windows of the period's groups were closed at `now`.
  ///
  /// - Parameter window: The longest window, in milliseconds.
  func isOver(window: Int64) -> Bool {
    guard let until else { return false }
    let (end, overflow) = until.milliseconds.addingReportingOverflow(window)
    return !overflow && end <= now.milliseconds
  }
}
