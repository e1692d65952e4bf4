import FunnelDecoding
internal import FunnelIndex
import FunnelModel

/// The order of events with the same time.
extension SequenceSorter {
  /// Sorts events with the same time by `seq`, the position of the step entered, ID and name.
  ///
  /// - Parameter entries: The entries of one subject, sorted by time.
  /// - Returns: `false` if the order depends on columns that are not loaded.
  @inline(__always)
  func orderTies(_ entries: EntrySlice) -> Bool {
    var index = 1
    while index < entries.count {
      if entries[index].milliseconds == entries[index &- 1].milliseconds {
        guard let end = orderTie(entries, from: index &- 1) else { return false }
        index = end
      }
      index &+= 1
    }
    return true
  }

  /// Sorts the events that have the time of the entry at `start`.
  ///
  /// - Returns: The index after the last of them, or `nil` if the order depends on columns that are not loaded.
  func orderTie(_ entries: EntrySlice, from start: Int) -> Int? {
    var end = start + 1
    while end < entries.count, entries[end].milliseconds == entries[start].milliseconds { end += 1 }
    let tie = entries[start..<end]
    if isInOrder(tie) { return end }
    guard columns.details else { return nil }
    tie.sort { precedes($0, $1) }
    return end
  }

  /// Returns whether events with the same time need no sorting.
  ///
  /// That holds if the events of each flow are equal to reports (``areAlike(_:_:)``), or come from one row, whose events are
  /// already in order.
  func isInOrder(_ tie: EntrySlice) -> Bool {
    // The first entry of each flow, whether others are from its row, and whether others are from other rows. A tie rarely has
    // more than one flow. Events without flow matches have no influence on the order.
    var firsts: [(flow: Int32, entry: Entry, hasParts: Bool, hasOthers: Bool)] = []
    for index in 0..<tie.count where tie[index].matchListID != 0 {
      let entry = tie[index]
      let flow = eventClasses.entries[Int(entry.matchListID) - 1].flow
      guard let first = firsts.firstIndex(where: { $0.flow == flow }) else {
        firsts.append((flow, entry, false, false))
        continue
      }
      if entry.row == firsts[first].entry.row {
        firsts[first].hasParts = true
      } else {
        firsts[first].hasOthers = true
        if !areAlike(entry, firsts[first].entry) { return false }
      }
      if firsts[first].hasParts, firsts[first].hasOthers { return false }
    }
    return true
  }

  /// Returns whether an event comes before another with the same time. Requires the column of details.
  func precedes(_ a: Entry, _ b: Entry) -> Bool {
    if a.matchListID == 0 || b.matchListID == 0 { return a.matchListID < b.matchListID }
    let detailA = detail(of: a)
    let detailB = detail(of: b)
    let idA = text(of: a, 0, Int(detailA.idByteCount))
    let idB = text(of: b, 0, Int(detailB.idByteCount))
    return EventOrder.precedes(
      .init(milliseconds: a.milliseconds, sequence: detailA.sequence, rank: tieRanks[Int(a.matchListID) - 1]),
      .init(milliseconds: b.milliseconds, sequence: detailB.sequence, rank: tieRanks[Int(b.matchListID) - 1])
    ) {
      idA.order(before: idB)
    } namePrecedes: {
      // Both events are from one row, and the identity is the index among its events.
      if a.row == b.row { return a.identity < b.identity }
      return text(of: a, idA.count, Int(detailA.nameByteCount)).precedes(text(of: b, idB.count, Int(detailB.nameByteCount)))
    }
  }

  /// Returns the canonical record of an entry. Requires the column of records.
  func record(of entry: Entry) -> RowChunk.Text {
    let detail = detail(of: entry)
    return text(of: entry, Int(detail.idByteCount) + Int(detail.nameByteCount), Int(detail.recordByteCount))
  }

  /// Returns `count` bytes of an entry's texts, from `offset`. Requires the column of details.
  func text(of entry: Entry, _ offset: Int, _ count: Int) -> RowChunk.Text {
    chunk(of: entry).text(at: Int(detail(of: entry).text) + offset, count: count)
  }
}
