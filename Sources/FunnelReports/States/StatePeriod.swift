public import FunnelModel

/// The period of a state, and the moment as of which it was counted.
public struct StatePeriod: Hashable, Sendable {
  /// The inclusive lower bound of the anchors of counted groups, or `nil` if there is none.
  public let since: Timestamp?
  /// The exclusive upper bound of the anchors of counted groups, or `nil` if there is none.
  public let until: Timestamp?
  /// The moment as of which groups were counted.
  public let now: Timestamp

  public init(of query: ReportQuery) {
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

/// The identity of the events of one fold, which prevents counting the same events twice.
struct StatePart: Hashable, Sendable {
  let period: StatePeriod
  /// A fingerprint of the events of 16 bytes, or ``wholeLog`` for all events of a log. Empty if there were no events.
  let events: [UInt8]

  /// The fingerprint of a whole log, which includes all subjects. No other state of the same period is
  /// compatible with it.
  static let wholeLog: [UInt8] = [1]

  /// Compares parts by period, then by fingerprint, which makes the bytes of a state deterministic.
  static func < (left: StatePart, right: StatePart) -> Bool {
    let a = left.sortKey
    let b = right.sortKey
    return a != b ? a < b : left.events.lexicographicallyPrecedes(right.events)
  }

  private var sortKey: (Int64, Int64, Int64) {
    (period.since?.milliseconds ?? .min, period.until?.milliseconds ?? .max, period.now.milliseconds)
  }
}
