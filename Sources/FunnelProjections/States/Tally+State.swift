import FunnelHistories
import FunnelModel

extension Tally {
  /// The counts as bytes (``StateFormat``), which are the same for the same counts.
  var encoded: [UInt8] {
    var writer = StateWriter()
    writer.append(byte: StateFormat.version)
    writer.append(number: counterCount)
    writer.append(number: durationCount)
    let counted = segments.indices.filter { $0 == 0 || isCounted($0) }
      .map { (segment: $0, values: encodedValues(ofSegment: $0)) }
      .sorted { $0.values.lexicographicallyPrecedes($1.values) }
    writer.append(number: counted.count)
    for (segment, values) in counted {
      writer.append(bytes: values)
      for counter in 0..<counterCount { writer.append(number: count(of: counter, in: segment)) }
      for duration in 0..<durationCount { distribution(of: duration, in: segment).write(to: &writer) }
    }
    return writer.bytes
  }

  private func isCounted(_ segment: Int) -> Bool {
    (0..<counterCount).contains { count(of: $0, in: segment) > 0 }
      || (0..<durationCount).contains { distribution(of: $0, in: segment).count > 0 }
  }

  private func encodedValues(ofSegment segment: Int) -> [UInt8] {
    var writer = StateWriter()
    writer.append(number: segments[segment].values.count)
    for value in segments[segment].values { writer.append(value) }
    return writer.bytes
  }

  /// Adds the counts of a state.
  ///
  /// - Throws: ``StateDamage`` if the bytes are not a state of this version with as many counters and durations; then the tally may have
  ///   part of its counts.
  mutating func merge(encoded bytes: [UInt8]) throws(StateDamage) {
    var reader = StateReader(bytes)
    guard try reader.byte() == StateFormat.version else {
      throw StateDamage(offset: 0, reason: "the version is not \(StateFormat.version)")
    }
    guard try reader.number() == counterCount, try reader.number() == durationCount else {
      throw reader.damage("the counts are of another flow or of other reports")
    }
    for _ in 0..<(try reader.count(bytesMin: 1 + counterCount + durationCount)) { try mergeSegment(from: &reader) }
    guard reader.isAtEnd else { throw reader.damage("the state goes on after its end") }
  }

  private mutating func mergeSegment(from reader: inout StateReader) throws(StateDamage) {
    var values: [PropertyValue] = []
    for _ in 0..<(try reader.count(bytesMin: 1)) { values.append(try reader.value()) }
    let segment = segmentNumber(of: Segment(values: values))
    for counter in 0..<counterCount {
      let (sum, overflow) = count(of: counter, in: segment).addingReportingOverflow(try reader.number())
      guard !overflow else { throw reader.damage("a counter is too large") }
      add(sum - count(of: counter, in: segment), to: counter, in: segment)
    }
    for duration in 0..<durationCount { merge(try DurationDistribution(from: &reader), into: duration, in: segment) }
  }
}
