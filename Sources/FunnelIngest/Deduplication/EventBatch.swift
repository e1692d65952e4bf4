import FunnelStore
import FunnelModel

/// The decoded events of one future commit: deduplicated among themselves and against the known ones, then sorted in the order of the log.
///
/// Events are numbered consecutively across the blocks. Records stay where they were decoded; only references to them are sorted.
package struct EventBatch: Sendable {
  package private(set) var blocks: [DecodedBlock] = []
  /// The number of the first event, for each block.
  private(set) var firstNumbers: [Int] = []
  /// The number of bytes of input the events were decoded from, or more if they take more memory than their input suggests.
  private(set) var byteCount = 0
  /// The number of events.
  private(set) var count = 0

  package init() {}

  package mutating func append(_ block: DecodedBlock) {
    firstNumbers.append(count)
    byteCount += max(block.byteCount, block.weight)
    count += block.events.count
    blocks.append(block)
  }

  var isEmpty: Bool { blocks.isEmpty }

  var deadLetters: [DeadLetter] { blocks.flatMap(\.deadLetters) }

  /// Returns the new events by day, those of each day by time and then by the bytes of the record, whatever the order of the input.
  ///
  /// - Parameters:
  ///   - isDropped: For each event, whether it is left out.
  ///   - summary: The summary in which accepted events, duplicates and unclaimed names are counted.
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

  private func countUnclaimed(_ isDropped: [Bool], in summary: inout IngestSummary) {
    for (block, first) in zip(blocks, firstNumbers) where !block.unclaimedNames.isEmpty {
      var counts = [Int](repeating: 0, count: block.unclaimedNames.count)
      for (index, event) in block.events.enumerated() where event.unclaimed >= 0 && !isDropped[first + index] {
        counts[Int(event.unclaimed)] += 1
      }
      for (name, count) in zip(block.unclaimedNames, counts) where count > 0 { summary.addUnclaimed(name, count: count) }
    }
  }

  /// Splits lines that are sorted by time into days. The chunks of each day are the records of all blocks.
  private func days(of lines: [RecordBatch.Line]) -> [CivilDate: RecordBatch] {
    let chunks = blocks.map(\.records)
    var days: [CivilDate: RecordBatch] = [:]
    var rest = lines[...]
    while let first = rest.first {
      let day = Timestamp(milliseconds: first.milliseconds).day
      let nextDay = CivilDate(daysSinceEpoch: day.daysSinceEpoch + 1).midnight.milliseconds
      var (start, end) = (rest.startIndex, rest.endIndex)
      while start < end {
        let middle = (start + end) / 2
        if lines[middle].milliseconds < nextDay { start = middle + 1 } else { end = middle }
      }
      days[day] = RecordBatch(chunks: chunks, lines: rest[..<end])
      rest = rest[end...]
    }
    return days
  }
}
