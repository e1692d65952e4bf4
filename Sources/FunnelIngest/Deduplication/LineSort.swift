import FunnelStore

/// Sorts lines by time in linear time.
enum LineSort {
  private static let digitBits: UInt64 = 11

  /// Sorts lines by their timestamps; lines with the same time keep their order.
  ///
  /// The algorithm is a radix sort from the last digit, with as many digits as the range of times needs: three for two months. Lines that
  /// are in order already are left alone.
  static func sortByTime(_ lines: inout [RecordBatch.Line]) {
    guard let range = unsortedRange(of: lines) else { return }
    let bits = UInt64(64 - (UInt64(bitPattern: range.upperBound &- range.lowerBound)).leadingZeroBitCount)
    lines.withUnsafeMutableBufferPointer { lines in
      let scratch = UnsafeMutableBufferPointer<RecordBatch.Line>.allocate(capacity: lines.count)
      defer { scratch.deallocate() }
      var (source, target) = (lines, scratch)
      for shift in stride(from: 0, to: bits, by: Int(digitBits)) {
        pass(from: source, to: target, earliest: range.lowerBound, shift)
        swap(&source, &target)
      }
      if source.baseAddress != lines.baseAddress { _ = lines.update(from: source) }
    }
  }

  /// Returns the earliest and the latest time, or nil if the lines are sorted.
  private static func unsortedRange(of lines: [RecordBatch.Line]) -> ClosedRange<Int64>? {
    var isSorted = true
    var (earliest, latest) = (Int64.max, Int64.min)
    var before = Int64.min
    for line in lines {
      if line.milliseconds < before { isSorted = false }
      before = line.milliseconds
      (earliest, latest) = (min(earliest, before), max(latest, before))
    }
    return isSorted ? nil : earliest...latest
  }

  private static func pass(
    from source: UnsafeMutableBufferPointer<RecordBatch.Line>, to target: UnsafeMutableBufferPointer<RecordBatch.Line>,
    earliest: Int64, _ shift: UInt64
  ) {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 1 << Int(digitBits)) { places in
      places.initialize(repeating: 0)
      for line in source { places[digit(of: line, earliest, shift)] += 1 }
      var total = 0
      for index in places.indices { (places[index], total) = (total, total + places[index]) }
      for line in source {
        let digit = digit(of: line, earliest, shift)
        (target.baseAddress! + places[digit]).initialize(to: line)
        places[digit] += 1
      }
    }
  }

  @inline(__always)
  private static func digit(of line: RecordBatch.Line, _ earliest: Int64, _ shift: UInt64) -> Int {
    Int(UInt64(bitPattern: line.milliseconds &- earliest) >> shift & (1 << digitBits - 1))
  }
}
