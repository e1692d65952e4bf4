extension DurationDistribution {
  /// Writes the durations (``StateFormat``).
  func write(to writer: inout StateWriter) {
    writer.append(number: count)
    if let durations = exactDurations {
      var last: Int64 = 0
      for duration in durations.sorted() {
        writer.append(number: Int(duration - last))
        last = duration
      }
      return
    }
    let counts = countsByCell
    writer.append(number: Int(longest))
    writer.append(number: counts.count)
    var last = 0
    for (cell, count) in counts {
      writer.append(number: cell - last)
      writer.append(number: count)
      last = cell
    }
  }

  /// Reads durations.
  ///
  /// - Throws: ``StateDamage`` if the bytes are not a distribution.
  init(from reader: inout StateReader) throws(StateDamage) {
    let start = reader.offset
    let count = try reader.number()
    self.init()
    if count <= Self.exactCountMax {
      try readExact(count, from: &reader)
    } else {
      try readCells(from: &reader)
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

  private mutating func readCells(from reader: inout StateReader) throws(StateDamage) {
    let longest = Int64(try reader.number())
    let last = DurationCells.cell(of: longest)
    var cell = 0
    for index in 0..<(try reader.count(bytesMin: 2)) {
      let difference = try reader.number()
      guard difference <= last - cell, index == 0 || difference > 0 else { throw reader.damage("not a cell of the histogram") }
      cell += difference
      let count = try reader.number()
      let (_, overflow) = self.count.addingReportingOverflow(count)
      guard count > 0, !overflow else { throw reader.damage("not a count of durations") }
      record(count, inCell: cell, longest: longest)
    }
    guard cell == last else { throw reader.damage("the longest duration is in no cell") }
  }
}
