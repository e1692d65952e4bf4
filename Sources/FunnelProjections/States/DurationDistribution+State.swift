import FunnelModel

extension DurationDistribution {
  /// Writes the distribution (``StateFormat``).
  func write(to writer: inout StateWriter) {
    writer.append(number: count)
    if let durations = exactDurations {
      // Each duration is written as the difference from the previous one.
      var last: Int64 = 0
      for duration in durations.sorted() {
        writer.append(number: Int(duration - last))
        last = duration
      }
      return
    }
    if let histogram {
      for count in histogram.counts { writer.append(number: count) }
      let (high, low) = histogram.sum.quotientAndRemainder(dividingBy: Self.sumUnit)
      // The sum is less than 2¹²⁵, because there are at most 2⁶³ durations, each less than 2⁶². So the quotient fits
      // into an Int.
      writer.append(number: Int(exactly: high)!)
      writer.append(number: low)
    }
    let counts = countsByBucket
    writer.append(number: Int(longest))
    writer.append(number: counts.count)
    var last = 0
    for (bucket, count) in counts {
      writer.append(number: bucket - last)
      writer.append(number: count)
      last = bucket
    }
  }

  /// The divisor of a histogram's sum, which may exceed 64 bits and is written as a quotient and a remainder.
  private static let sumUnit = 1 << 62

  /// Reads a distribution.
  ///
  /// - Parameter hasHistogram: Whether the distribution was written with its histogram.
  /// - Throws: ``StateDamage`` if the bytes are not a distribution.
  init(from reader: inout StateReader, hasHistogram: Bool) throws(StateDamage) {
    let start = reader.offset
    let count = try reader.quantity()
    self.init(hasHistogram: hasHistogram)
    if count <= Self.exactCountMax {
      try readExact(count, from: &reader)
    } else {
      if hasHistogram { try readHistogram(of: count, from: &reader) }
      try readBuckets(from: &reader)
    }
    guard self.count == count else {
      throw StateDamage(offset: start, reason: "the number of durations is not that of the cells")
    }
  }

  private mutating func readExact(_ count: Int, from reader: inout StateReader) throws(StateDamage) {
    var last: Int64 = 0
    for _ in 0..<count {
      let (sum, overflow) = last.addingReportingOverflow(Int64(try reader.number()))
      guard !overflow else { throw reader.damage("a duration is too long") }
      last = sum
      record(last)
    }
  }

  private mutating func readHistogram(of count: Int, from reader: inout StateReader) throws(StateDamage) {
    var counts: [Int] = []
    var remaining = count
    for _ in DurationHistogram.edges {
      counts.append(try reader.number())
      guard counts[counts.count - 1] <= remaining else { throw reader.damage("the bins hold more durations than there are") }
      remaining -= counts[counts.count - 1]
    }
    guard remaining == 0 else { throw reader.damage("the bins hold fewer durations than there are") }
    let high = WideInteger(try reader.number())
    let sum = high * Self.sumUnit + WideInteger(try reader.number())
    // No duration is longer than the unit. The check also bounds the sums of several states.
    guard sum <= WideInteger(count) * Self.sumUnit else { throw reader.damage("the durations add up to more than they can") }
    addToHistogram(counts: counts, sum: sum)
  }

  private mutating func readBuckets(from reader: inout StateReader) throws(StateDamage) {
    let longest = Int64(try reader.number())
    let last = DurationBuckets.bucket(of: longest)
    var counts = SparseDurationBuckets(longest: longest)
    for index in 0..<(try reader.count(bytesMin: 2)) {
      let prior = counts.lastBucket
      let difference = try reader.number()
      guard difference <= last - prior, index == 0 || difference > 0 else { throw reader.damage("not a cell of the histogram") }
      let count = try reader.quantity()
      guard count > 0, counts.count + count <= Limits.countMax else { throw reader.damage("not a count of durations") }
      counts.append(count, inBucket: prior + difference)
    }
    guard counts.lastBucket == last, counts.count > 0 else { throw reader.damage("the longest duration is in no cell") }
    record(counts)
  }
}
