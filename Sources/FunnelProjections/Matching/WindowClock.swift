import FunnelModel

/// How long a group may take, and what time it is.
struct WindowClock: Sendable {
  /// The conversion window in milliseconds, not negative.
  let window: Int64
  /// Whether only groups count whose window is closed.
  let countsClosedOnly: Bool
  private let now: Int64

  init(flow: FlowDefinition, query: ReportQuery) {
    window = max(0, query.windowMilliseconds(for: flow))
    countsClosedOnly = query.isMature
    now = query.now.milliseconds
  }

  /// The last moment inside the window that opens at some moment; the greatest there is where the sum does not fit.
  @inline(__always)
  func deadline(from milliseconds: Int64) -> Int64 {
    let (sum, overflow) = milliseconds.addingReportingOverflow(window)
    return overflow ? .max : sum
  }

  /// Whether more may still come inside the window that opens at some moment.
  @inline(__always)
  func isOpen(from milliseconds: Int64) -> Bool {
    let (sum, overflow) = milliseconds.addingReportingOverflow(window)
    return overflow || sum > now
  }
}
