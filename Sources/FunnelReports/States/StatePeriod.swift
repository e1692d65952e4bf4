public import FunnelModel

/// The period that a state is about, and the present at which it was counted.
public struct StatePeriod: Hashable, Sendable {
  /// The lower bound of the anchors of counted groups, inclusive; nil counts from the beginning.
  public let since: Timestamp?
  /// The upper bound of the anchors of counted groups, exclusive; nil counts to the end.
  public let until: Timestamp?
  public let now: Timestamp

  public init(of query: ReportQuery) {
    self.init(since: query.since, until: query.until, now: query.now)
  }

  init(since: Timestamp?, until: Timestamp?, now: Timestamp) {
    (self.since, self.until, self.now) = (since, until, now)
  }

  /// Whether a period ends where another begins, or before.
  func precedes(_ other: StatePeriod) -> Bool {
    guard let until, let start = other.since else { return false }
    return until <= start
  }

  /// Whether no group of the period is in progress any more, whose window is at most `window` milliseconds.
  func isOver(window: Int64) -> Bool {
    guard let until else { return false }
    let (end, overflow) = until.milliseconds.addingReportingOverflow(window)
    return !overflow && end <= now.milliseconds
  }
}

/// The events of one fold that a state counts. It tells whether the same events would be counted twice.
struct StatePart: Hashable, Sendable {
  let period: StatePeriod
  /// A fingerprint of the events, 16 bytes; ``wholeLog`` if they are all events of a log, and empty if there were none.
  let events: [UInt8]

  /// Stands for all subjects: a second state of the same period would count some of them twice, whatever it counts.
  static let wholeLog: [UInt8] = [1]

  /// Whether a part stands in front of another: by period, then by fingerprint. The order has no meaning but that it is one.
  static func < (left: StatePart, right: StatePart) -> Bool {
    let (a, b) = (left.sortKey, right.sortKey)
    return a != b ? a < b : left.events.lexicographicallyPrecedes(right.events)
  }

  private var sortKey: (Int64, Int64, Int64) {
    (period.since?.milliseconds ?? .min, period.until?.milliseconds ?? .max, period.now.milliseconds)
  }
}
