internal import FunnelIndex
import FunnelIngest
import FunnelModel

/// The order of events with the same time.
extension SequenceSorter {
  /// Sorts events with the same time by `seq`, the position of the step entered, ID and name.
  ///
  /// - Parameter entries: The entries of one subject, sorted by time.
  /// - Returns: `false` if the order depends on columns that are not loaded.
  @inline(__always)
  func orderTies(_ entries: UnsafeMutableBufferPointer<Entry>) -> Bool {
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
  func orderTie(_ entries: UnsafeMutableBufferPointer<Entry>, from start: Int) -> Int? {
    var end = start + 1
    while end < entries.count, entries[end].milliseconds == entries[start].milliseconds { end += 1 }
    var tie = UnsafeMutableBufferPointer(rebasing: entries[start..<end])
    if isInOrder(tie) { return end }
    guard columns.details else { return nil }
    tie.sort { precedes($0, $1) }
    return end
  }

  /// Returns whether events with the same time need no sorting.
  ///
  /// That holds if the events of each flow are equal to reports (``mean(_:sameAs:)``), or come from one row, whose events are
  /// already in order.
  func isInOrder(_ tie: UnsafeMutableBufferPointer<Entry>) -> Bool {
    // The first entry of each flow, whether others are from its row, and whether others are from other rows. A tie rarely has
    // more than one flow. Events without flow matches have no influence on the order.
    var firsts: [(flow: Int32, entry: Entry, hasParts: Bool, hasOthers: Bool)] = []
    for entry in tie where entry.meaning != 0 {
      let flow = kinds.entries[Int(entry.meaning) - 1].flow
      guard let index = firsts.firstIndex(where: { $0.flow == flow }) else {
        firsts.append((flow, entry, false, false))
        continue
      }
      if entry.place == firsts[index].entry.place {
        firsts[index].hasParts = true
      } else {
        firsts[index].hasOthers = true
        if !mean(entry, sameAs: firsts[index].entry) { return false }
      }
      if firsts[index].hasParts, firsts[index].hasOthers { return false }
    }
    return true
  }

  /// Returns whether an event comes before another with the same time. Requires the column of details.
  func precedes(_ a: Entry, _ b: Entry) -> Bool {
    if a.meaning == 0 || b.meaning == 0 { return a.meaning < b.meaning }
    let detailA = chunk(of: a).details[place(of: a)]
    let detailB = chunk(of: b).details[place(of: b)]
    let idA = text(of: a, 0, Int(detailA.idByteCount))
    let idB = text(of: b, 0, Int(detailB.idByteCount))
    return EventOrder.precedes(
      .init(milliseconds: a.milliseconds, sequence: detailA.sequence, rank: tieRanks[Int(a.meaning) - 1]),
      .init(milliseconds: b.milliseconds, sequence: detailB.sequence, rank: tieRanks[Int(b.meaning) - 1])
    ) {
      idA.order(before: idB)
    } namePrecedes: {
      // Both events are from one row, and the identity is the index among its events.
      if a.place == b.place { return a.identity < b.identity }
      return text(of: a, idA.count, Int(detailA.nameByteCount)).precedes(text(of: b, idB.count, Int(detailB.nameByteCount)))
    }
  }

  /// Returns the canonical record of an entry. Requires the column of records.
  func record(of entry: Entry) -> UnsafeRawBufferPointer {
    let detail = chunk(of: entry).details[place(of: entry)]
    return text(of: entry, Int(detail.idByteCount) + Int(detail.nameByteCount), Int(detail.recordByteCount))
  }

  /// Returns `count` bytes of an entry's texts, from `offset`. Requires the column of details.
  func text(of entry: Entry, _ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
    let chunk = chunk(of: entry)
    let start = Int(chunk.details[place(of: entry)].text) + offset
    return UnsafeRawBufferPointer(start: chunk.texts.map { UnsafeRawPointer($0 + start) }, count: count)
  }
}
