import FunnelModel

/// The conversion window of a flow, with the current time of the query.
public struct WindowClock: Sendable {
  /// The conversion window in milliseconds, not negative.
  public let window: Int64
  /// Whether only groups whose window is closed are counted.
  public let countsClosedOnly: Bool
  private let now: Int64

  init(flow: FlowDefinition, query: ReportQuery) {
    window = max(0, query.windowMilliseconds(for: flow))
    countsClosedOnly = query.isMature
    now = query.now.milliseconds
  }

  /// Returns the last moment of the window that opens at a given moment, or the largest value if the sum overflows.
  @inline(__always)
  public func deadline(from milliseconds: Int64) -> Int64 {
    let (sum, overflow) = milliseconds.addingReportingOverflow(window)
    return overflow ? .max : sum
  }

  /// Returns whether further events may still fall into the window that opens at a given moment.
  @inline(__always)
  public func isOpen(from milliseconds: Int64) -> Bool {
    let (sum, overflow) = milliseconds.addingReportingOverflow(window)
    return overflow || sum > now
  }
}
