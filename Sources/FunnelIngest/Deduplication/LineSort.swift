import FunnelStore

/// Sorts lines by time with a radix sort.
enum LineSort {
  /// The number of bits that one pass sorts by. The 2048 counters of a pass fit into the first-level cache.
  private static let digitBits: UInt64 = 11

  /// Sorts lines by their timestamps. The sort is stable and takes linear time.
  static func sortByTime(_ lines: inout [RecordBatch.Line]) {
    // A radix sort from the least significant digit, with as many passes as the range of times needs: three for two months.
    guard let range = unsortedRange(of: lines) else { return }
    let bits = UInt64(64 - (UInt64(bitPattern: range.upperBound &- range.lowerBound)).leadingZeroBitCount)
    lines.withUnsafeMutableBufferPointer { lines in
      let scratch = UnsafeMutableBufferPointer<RecordBatch.Line>.allocate(capacity: lines.count)
      defer { scratch.deallocate() }
      var source = lines
      var target = scratch
      for shift in stride(from: 0, to: bits, by: Int(digitBits)) {
        pass(from: source, to: target, earliest: range.lowerBound, shift)
        swap(&source, &target)
      }
      if source.baseAddress != lines.baseAddress { _ = lines.update(from: source) }
    }
  }

  /// Returns the earliest and the latest time, or `nil` if the lines are sorted already.
  private static func unsortedRange(of lines: [RecordBatch.Line]) -> ClosedRange<Int64>? {
    var isSorted = true
    var earliest = Int64.max
    var latest = Int64.min
    var previous = Int64.min
    for line in lines {
      if line.milliseconds < previous { isSorted = false }
      previous = line.milliseconds
      earliest = min(earliest, previous)
      latest = max(latest, previous)
    }
    return isSorted ? nil : earliest...latest
  }

  /// Performs one pass: copies lines from `source` to `target`, sorted by the digit at `shift`.
  private static func pass(
    from source: UnsafeMutableBufferPointer<RecordBatch.Line>, to target: UnsafeMutableBufferPointer<RecordBatch.Line>,
    earliest: Int64, _ shift: UInt64
  ) {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 1 << Int(digitBits)) { offsets in
      offsets.initialize(repeating: 0)
      for line in source { offsets[digit(of: line, earliest, shift)] += 1 }
      var total = 0
      for index in offsets.indices {
        let count = offsets[index]
        offsets[index] = total
        total += count
      }
      for line in source {
        let digit = digit(of: line, earliest, shift)
        (target.baseAddress! + offsets[digit]).initialize(to: line)
        offsets[digit] += 1
      }
    }
  }

  /// Returns the digit of a line's time after `earliest` at a bit offset.
  @inline(__always)
  private static func digit(of line: RecordBatch.Line, _ earliest: Int64, _ shift: UInt64) -> Int {
    Int(UInt64(bitPattern: line.milliseconds &- earliest) >> shift & (1 << digitBits - 1))
  }
}
