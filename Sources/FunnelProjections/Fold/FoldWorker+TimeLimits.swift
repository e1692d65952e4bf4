import FunnelIndex
import FunnelModel

extension FoldWorker {
  /// Returns whether all events of a group are in the period of the query and within one conversion window.
  @inline(__always)
  func isUnlimited(_ group: EventSequence, flow: Int) -> Bool {
    let first = group.times[0]
    let last = group.times[group.count - 1]
    return first >= period.first && last <= period.last
      && !last.isLater(than: first, byMoreThan: flows[flow].clock.windowMilliseconds)
  }

  /// Returns the index of the event after the gap of a group, or `nil` if the group has none, or is affected by time
  /// limits otherwise.
  ///
  /// A gap is a time between two consecutive events that is longer than the conversion window. All events must be in
  /// the period of the query. Those before the gap, and those after it, must each be within one conversion window.
  // Two events of such a group are within one window exactly if they are on the same side of the gap, so its
  // contribution can be cached. Subjects who return after weeks have such groups.
  func gap(in group: EventSequence, flow: Int) -> Int? {
    let window = flows[flow].clock.windowMilliseconds
    let times = group.times
    let last = group.count - 1
    guard times[0] >= period.first, times[last] <= period.last else { return nil }
    guard let gap = (1..<group.count).first(where: { times[$0].isLater(than: times[$0 - 1], byMoreThan: window) }) else {
      return nil
    }
    let areBothShort =
      !times[gap - 1].isLater(than: times[0], byMoreThan: window) && !times[last].isLater(than: times[gap], byMoreThan: window)
    return areBothShort ? gap : nil
  }
}

extension Int64 {
  /// Returns whether a time is later than another by more than a number of milliseconds.
  @inline(__always)
  fileprivate func isLater(than other: Int64, byMoreThan milliseconds: Int64) -> Bool {
    let (length, overflow) = subtractingReportingOverflow(other)
    return overflow || length > milliseconds
  }
}
