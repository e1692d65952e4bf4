import FunnelModel

/// Decides whether conversion windows of a flow are closed at the time of the query.
public struct WindowClock: Sendable {
  /// The conversion window in milliseconds, not negative.
  public let window: Int64
  /// Whether only groups whose window is closed are counted.
  public let countsClosedOnly: Bool
  private let now: Int64

  /// Creates the clock of a query about a flow.
  init(flow: FlowDefinition, query: ReportQuery) {
    window = max(0, query.windowMilliseconds(for: flow))
    countsClosedOnly = query.isMature
    now = query.now.milliseconds
  }

  /// Returns the last millisecond of the window that opens at a time, or `Int64.max` if it overflows.
  @inline(__always)
  public func deadline(from milliseconds: Int64) -> Int64 {
    let (sum, overflow) = milliseconds.addingReportingOverflow(window)
    return overflow ? .max : sum
  }

  /// Returns whether the window that opens at a time ends after the time of the query, so later events may fall into it.
  @inline(__always)
  public func isOpen(from milliseconds: Int64) -> Bool {
    let (sum, overflow) = milliseconds.addingReportingOverflow(window)
    return overflow || sum > now
  }
}
