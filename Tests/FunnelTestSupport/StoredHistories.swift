package import FunnelIndex
package import FunnelModel
import FunnelSystem

/// Histories in memory. The flowMatches of their codes and rows become known only when a history is passed to a body, as in a
/// source that is still being read while it is folded.
package final class StoredHistories: SequenceSource {
  /// One event of a history.
  package struct Event: Sendable {
    package var milliseconds: Int64
    package var kind: EventClassTable.Entry
    package var attempt: UInt64
    package var row: UInt32

    package init(milliseconds: Int64, kind: EventClassTable.Entry, attempt: UInt64 = 0, row: UInt32 = 0) {
      self.milliseconds = milliseconds
      self.kind = kind
      self.attempt = attempt
      self.row = row
    }
  }

  private let sequences: [[Event]]
  private let allSegments: SegmentTable
  private let known: Guarded<Known>
  package let partitionCount: Int

  private struct Known: Sendable {
    var kinds = EventClassTable()
    var segments: SegmentTable
    var rows: [UInt32: UInt32] = [:]
  }

  /// Creates a source of histories, each with at least one event, whose rows are those of a table.
  package init(_ sequences: [[Event]], segments: SegmentTable = SegmentTable(), partitionCount: Int = 1) {
    self.sequences = sequences
    self.partitionCount = partitionCount
    allSegments = segments
    known = Guarded(Known(segments: SegmentTable(dimensions: segments.dimensions)))
  }

  package var eventClasses: [EventClassTable.Entry] { known.withLock { $0.kinds.entries } }
  package var segments: SegmentTable { known.withLock { $0.segments } }

  package func forEachSequence(
    inPartition number: Int, upTo moment: Int64, _ body: (EventSequence) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    for index in stride(from: number, to: sequences.count, by: partitionCount) {
      let events = sequences[index]
      let kinds = known.withLock { known in events.map { known.kinds.findOrInsert($0.kind) } }
      let rows = events.map { row($0.row) }
      let times = events.map(\.milliseconds)
      let attempts = events.map(\.attempt)
      // The body only borrows the columns of a history.
      try kinds.withUnsafeBufferPointer { (kinds) throws(FunnelError) in
        try times.withUnsafeBufferPointer { (times) throws(FunnelError) in
          try attempts.withUnsafeBufferPointer { (attempts) throws(FunnelError) in
            try rows.withUnsafeBufferPointer { (rows) throws(FunnelError) in
              let sequence = EventSequence(
                classIDs: BorrowedColumn(kinds), times: BorrowedColumn(times), attempts: BorrowedColumn(attempts),
                rows: allSegments.dimensions.isEmpty ? nil : BorrowedColumn(rows))
              if let earlier = sequence.upTo(moment) { try body(earlier) }
            }
          }
        }
      }
    }
  }

  private func row(_ number: UInt32) -> UInt32 {
    guard !allSegments.dimensions.isEmpty else { return 0 }
    return known.withLock { known in
      if let row = known.rows[number] { return row }
      let row = known.segments.append(allSegments.row(number))
      known.rows[number] = row
      return row
    }
  }
}
