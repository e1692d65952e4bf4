package import FunnelDecoding
import FunnelStore
import FunnelModel

/// The decoded events of one commit, before duplicates are removed and the events are sorted.
///
/// Events are numbered consecutively across the blocks. Sorting moves references, not the records themselves.
package struct EventBatch: Sendable {
  /// The blocks in the order of the input.
  package private(set) var blocks: [DecodedBlock] = []
  /// The number of the first event of each block.
  private(set) var firstNumbers: [Int] = []
  /// The approximate memory of the events, at least the size of their input, in bytes.
  private(set) var byteCount = 0
  /// The number of events.
  private(set) var count = 0

  /// Creates an empty batch.
  package init() {}

  /// Appends the next block of the input.
  package mutating func append(_ block: DecodedBlock) {
    firstNumbers.append(count)
    byteCount += max(block.byteCount, block.weight)
    count += block.events.count
    blocks.append(block)
  }

  /// Whether there are no blocks.
  var isEmpty: Bool { blocks.isEmpty }

  /// The rejected lines of all blocks.
  var deadLetters: [DeadLetter] { blocks.flatMap(\.deadLetters) }

  /// Returns the records of the new events by day. Those of a day are sorted by time and then by their bytes.
  ///
  /// - Parameters:
  ///   - isDropped: Whether each event is dropped.
  ///   - summary: The summary to which accepted events, duplicates and unclaimed names are added.
  func records(without isDropped: [Bool], counting summary: inout IngestSummary) -> [CivilDate: RecordBatch] {
    precondition(isDropped.count == count, "each event is known or not")
    countUnclaimed(isDropped, in: &summary)
    let lines = orderedLines(without: isDropped)
    summary.accepted += lines.count
    summary.duplicates += count - lines.count
    if let first = lines.first, let last = lines.last {
      summary.extendTimestamps(
        Timestamp(milliseconds: first.milliseconds)...Timestamp(milliseconds: last.milliseconds))
    }
    return days(of: lines)
  }

  /// Counts the new events that no flow declares.
  private func countUnclaimed(_ isDropped: [Bool], in summary: inout IngestSummary) {
    for (block, first) in zip(blocks, firstNumbers) where !block.unclaimedNames.isEmpty {
      var counts = [Int](repeating: 0, count: block.unclaimedNames.count)
      for (index, event) in block.events.enumerated() where event.unclaimed >= 0 && !isDropped[first + index] {
        counts[Int(event.unclaimed)] += 1
      }
      for (name, count) in zip(block.unclaimedNames, counts) where count > 0 { summary.addUnclaimed(name, count: count) }
    }
  }

  /// Splits lines that are sorted by time into days. Each day refers to the records of all blocks.
  private func days(of lines: [RecordBatch.Line]) -> [CivilDate: RecordBatch] {
    let chunks = blocks.map(\.records)
    var days: [CivilDate: RecordBatch] = [:]
    var remaining = lines[...]
    while let first = remaining.first {
      let day = Timestamp(milliseconds: first.milliseconds).day
      let nextDay = CivilDate(daysSinceEpoch: day.daysSinceEpoch + 1).midnight.milliseconds
      // A binary search for the first line of a later day.
      var start = remaining.startIndex
      var end = remaining.endIndex
      while start < end {
        let middle = (start + end) / 2
        if lines[middle].milliseconds < nextDay { start = middle + 1 } else { end = middle }
      }
      days[day] = RecordBatch(chunks: chunks, lines: remaining[..<end])
      remaining = remaining[end...]
    }
    return days
  }
}
