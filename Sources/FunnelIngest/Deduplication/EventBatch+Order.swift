import FunnelDecoding
import FunnelStore
import FunnelModel

extension EventBatch {
  /// Returns the lines of the events that are not dropped, by time and then by their bytes.
  ///
  /// The chunk of a line is the index of its block.
  ///
  /// - Parameter isDropped: Whether each event is dropped.
  func orderedLines(without isDropped: [Bool]) -> [RecordBatch.Line] {
    var lines = lines(without: isDropped)
    LineSort.sortByTime(&lines)
    var start = 0
    while start < lines.count {
      var end = start + 1
      while end < lines.count, lines[end].milliseconds == lines[start].milliseconds { end += 1 }
      if end - start > 1 { lines[start..<end].sort(by: precedes) }
      start = end
    }
    return lines
  }

  /// Returns the lines of the events that are not dropped, in the order of the batch.
  private func lines(without isDropped: [Bool]) -> [RecordBatch.Line] {
    [RecordBatch.Line](unsafeUninitializedCapacity: count) { lines, kept in
      for (number, block) in blocks.enumerated() {
        var start = 0
        let first = firstNumbers[number]
        for (index, event) in block.events.enumerated() {
          if !isDropped[first + index] {
            (lines.baseAddress! + kept).initialize(
              to: RecordBatch.Line(
                milliseconds: event.timestamp.milliseconds, start: start, byteCount: UInt32(event.end - start),
                chunk: UInt32(number)))
            kept += 1
          }
          start = event.end
        }
      }
    }
  }

  /// Whether a line precedes another one by its bytes.
  private func precedes(_ a: RecordBatch.Line, _ b: RecordBatch.Line) -> Bool {
    record(of: a) { recordA in record(of: b) { recordA.precedes($0) } }
  }

  /// Calls a closure with the bytes of a line.
  private func record<Result>(of line: RecordBatch.Line, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    blocks[Int(line.chunk)].records.withUnsafeBytes {
      body(UnsafeRawBufferPointer(rebasing: $0[line.start..<(line.start + Int(line.byteCount))]))
    }
  }
}
