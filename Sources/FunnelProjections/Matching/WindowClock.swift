package import FunnelModel

/// Opens the conversion windows of a flow, and decides whether they are closed at the time of the query.
package struct WindowClock: Sendable {
  /// The length of the conversion window in milliseconds, not negative.
  package let windowMilliseconds: Int64
  /// Whether only groups whose window is closed are counted.
  package let countsClosedOnly: Bool
  @usableFromInline let now: Int64

  /// Creates the clock of a query about a flow.
  init(flow: FlowDefinition, query: ReportQuery) {
    windowMilliseconds = max(0, query.windowMilliseconds(for: flow))
    countsClosedOnly = query.isMature
    now = query.now.milliseconds
  }

  /// Returns the window that opens at a time.
  @inlinable @inline(__always)
  package func window(from milliseconds: Int64) -> ConversionWindow {
    ConversionWindow(from: milliseconds, length: windowMilliseconds)
  }

  /// Returns whether the window that opens at a time ends after the time of the query, so later events may fall into it.
  @inlinable @inline(__always)
  package func isOpen(from milliseconds: Int64) -> Bool { window(from: milliseconds).isOpen(at: now) }
}
