internal import FunnelIndex
import FunnelIngest
import FunnelModel

/// The order of events with the same time.
extension SequenceSorter {
  /// Orders events with the same time by `seq`, the position of the step entered, id and name.
  ///
  /// - Returns: false if the columns that decide the order are missing.
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

  /// Orders the events that share the time of the entry at `start`. Returns their end, or nil if the columns that decide are missing.
  func orderTie(_ entries: UnsafeMutableBufferPointer<Entry>, from start: Int) -> Int? {
    var end = start + 1
    while end < entries.count, entries[end].milliseconds == entries[start].milliseconds { end += 1 }
    var tie = UnsafeMutableBufferPointer(rebasing: entries[start..<end])
    if isInOrder(tie) { return end }
    guard columns.details else { return nil }
    tie.sort { precedes($0, $1) }
    return end
  }

  /// Returns whether the order of events with the same time makes no difference to any report: they mean the same to each flow, or they are
  /// the events that a flow reads one row as, already in order.
  func isInOrder(_ tie: UnsafeMutableBufferPointer<Entry>) -> Bool {
    // The first entry of each flow; a tie rarely has more than one flow. Events that no journey wants have no influence on the order.
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

  func precedes(_ a: Entry, _ b: Entry) -> Bool {
    if a.meaning == 0 || b.meaning == 0 { return a.meaning < b.meaning }
    let (detailA, detailB) = (chunk(of: a).details[place(of: a)], chunk(of: b).details[place(of: b)])
    let (idA, idB) = (text(of: a, 0, Int(detailA.idByteCount)), text(of: b, 0, Int(detailB.idByteCount)))
    return EventOrder.precedes(
      .init(milliseconds: a.milliseconds, sequence: detailA.sequence, rank: tieRanks[Int(a.meaning) - 1]),
      .init(milliseconds: b.milliseconds, sequence: detailB.sequence, rank: tieRanks[Int(b.meaning) - 1])
    ) {
      idA.order(before: idB)
    } namePrecedes: {
      if a.place == b.place { return a.identity < b.identity }
      return text(of: a, idA.count, Int(detailA.nameByteCount)).precedes(text(of: b, idB.count, Int(detailB.nameByteCount)))
    }
  }

  func record(of entry: Entry) -> UnsafeRawBufferPointer {
    let detail = chunk(of: entry).details[place(of: entry)]
    return text(of: entry, Int(detail.idByteCount) + Int(detail.nameByteCount), Int(detail.recordByteCount))
  }

  func text(of entry: Entry, _ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
    let chunk = chunk(of: entry)
    let start = Int(chunk.details[place(of: entry)].text) + offset
    return UnsafeRawBufferPointer(start: chunk.texts.map { UnsafeRawPointer($0 + start) }, count: count)
  }
}
