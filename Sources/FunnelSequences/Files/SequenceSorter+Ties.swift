import FunnelDecoding
internal import FunnelIndex
import FunnelModel

/// The order of events with the same time.
extension SequenceSorter {
  /// Sorts events with the same time by `seq`, the position of the step entered, ID and name.
  ///
  /// - Parameter entries: The entries of one subject, sorted by time.
  /// - Throws: ``Undecided`` if the order depends on columns that are not loaded.
  @inline(__always)
  func orderTies(_ entries: MutableColumn<Entry>) throws(Undecided) {
    var index = 1
    while index < entries.count {
      if entries[index].milliseconds == entries[index &- 1].milliseconds { index = try orderTie(entries, from: index &- 1) }
      index &+= 1
    }
  }

  /// Sorts the events that have the time of the entry at `start`. Returns the index after the last of them.
  private func orderTie(_ entries: MutableColumn<Entry>, from start: Int) throws(Undecided) -> Int {
    var end = start + 1
    while end < entries.count, entries[end].milliseconds == entries[start].milliseconds { end += 1 }
    let tie = entries[start..<end]
    if isInOrder(tie) { return end }
    guard rows.columns.details else { throw Undecided() }
    tie.sort { precedes($0, $1) }
    return end
  }

  /// The events of one flow that have the same time.
  private struct FlowTie {
    let flow: Int32
    let first: Entry
    /// Whether further events are from the row of the first one.
    var hasParts = false
    /// Whether further events are from other rows.
    var hasOthers = false
  }

  /// Returns whether events with the same time need no sorting.
  ///
  /// That holds if the events of each flow are equal to reports (``areAlike(_:_:)``), or come from one row, whose events are
  /// already in order.
  private func isInOrder(_ tie: MutableColumn<Entry>) -> Bool {
    // A tie rarely has more than one flow. Events without flow matches have no influence on the order.
    var ties: [FlowTie] = []
    for index in 0..<tie.count where tie[index].matchListID != 0 {
      let entry = tie[index]
      let flow = eventClasses.entries[Int(entry.matchListID) - 1].flow
      guard let known = ties.firstIndex(where: { $0.flow == flow }) else {
        ties.append(FlowTie(flow: flow, first: entry))
        continue
      }
      if entry.row == ties[known].first.row {
        ties[known].hasParts = true
      } else {
        ties[known].hasOthers = true
        if !areAlike(entry, ties[known].first) { return false }
      }
      if ties[known].hasParts, ties[known].hasOthers { return false }
    }
    return true
  }

  /// Returns whether an event comes before another with the same time. Requires the column of details.
  private func precedes(_ a: Entry, _ b: Entry) -> Bool {
    if a.matchListID == 0 || b.matchListID == 0 { return a.matchListID < b.matchListID }
    return EventOrder.precedes(moment(of: a), moment(of: b)) {
      rows.id(of: a).order(before: rows.id(of: b))
    } namePrecedes: {
      // Both events are from one row, and the identity is the index among its events.
      if a.row == b.row { return a.identity < b.identity }
      return rows.name(of: a).precedes(rows.name(of: b))
    }
  }

  private func moment(of entry: Entry) -> EventOrder.Moment {
    EventOrder.Moment(
      milliseconds: entry.milliseconds, sequence: rows.detail(of: entry).sequence,
      rank: tieRanks[Int(entry.matchListID) - 1])
  }
}
