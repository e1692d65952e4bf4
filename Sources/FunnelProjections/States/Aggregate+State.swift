import FunnelSequences
import FunnelModel

extension Aggregate {
  /// The encoding of the aggregate (``StateFormat``). Equal aggregates have equal encodings.
  var encoded: [UInt8] {
    var writer = StateWriter()
    writer.append(byte: StateFormat.version)
    for count in shape.counts { writer.append(number: count) }
    let counted = segments.indices.filter { $0 == 0 || isCounted($0) }
      .map { (segment: $0, name: encodedValues(ofSegment: $0)) }
      .sorted { $0.name.lexicographicallyPrecedes($1.name) }
    writer.append(number: counted.count)
    for (segment, name) in counted {
      writer.append(bytes: name)
      for counter in 0..<shape.counters { writer.append(number: count(of: counter, in: segment)) }
      for duration in 0..<shape.durations { distribution(of: duration, in: segment).write(to: &writer) }
      for id in 0..<shape.values { values(of: id, in: segment).write(to: &writer) }
      for id in 0..<shape.properties { properties(of: id, in: segment).write(to: &writer) }
      for id in 0..<shape.examples { examples(of: id, in: segment).write(to: &writer) }
      for id in shape.crossings.indices { crossing(id, in: segment).write(to: &writer) }
    }
    return writer.bytes
  }

  /// Returns whether anything was counted in a segment. Examples alone do not count.
  private func isCounted(_ segment: Int) -> Bool {
    (0..<shape.counters).contains { count(of: $0, in: segment) > 0 }
      || (0..<shape.durations).contains { distribution(of: $0, in: segment).count > 0 }
      || (0..<shape.values).contains { !values(of: $0, in: segment).counts.isEmpty }
      || (0..<shape.properties).contains { !properties(of: $0, in: segment).isEmpty }
  }

  /// Returns the encoding of a segment's values, by which segments are sorted.
  private func encodedValues(ofSegment segment: Int) -> [UInt8] {
    var writer = StateWriter()
    writer.append(number: segments[segment].values.count)
    for value in segments[segment].values { writer.append(value) }
    return writer.bytes
  }

  /// Adds an encoded aggregate of the same shape.
  ///
  /// - Throws: ``StateDamage`` if the bytes are not a state of this version and shape. After an error, some of the
  ///   counts may have been added.
  mutating func merge(encoded bytes: [UInt8]) throws(StateDamage) {
    var reader = StateReader(bytes)
    guard try reader.byte() == StateFormat.version else {
      throw StateDamage(offset: 0, reason: "the version is not \(StateFormat.version)")
    }
    let counts = shape.counts
    for count in counts {
      guard try reader.number() == count else { throw reader.damage("the counts are of another flow or of other reports") }
    }
    for _ in 0..<(try reader.count(bytesMin: 1 + counts.reduce(0, +))) { try mergeSegment(from: &reader) }
    guard reader.isAtEnd else { throw reader.damage("the state has extra bytes after its end") }
  }

  private mutating func mergeSegment(from reader: inout StateReader) throws(StateDamage) {
    var values: [PropertyValue] = []
    for _ in 0..<(try reader.count(bytesMin: 1)) { values.append(try reader.value()) }
    let segment = segmentNumber(of: Segment(values: values))
    for counter in 0..<shape.counters {
      let more = try reader.quantity()
      guard count(of: counter, in: segment) + more <= Limits.countMax else { throw reader.damage("a counter is too large") }
      add(more, to: counter, in: segment)
    }
    for duration in 0..<shape.durations {
      let distribution = try DurationDistribution(from: &reader, hasHistogram: shape.histograms.contains(duration))
      guard self.distribution(of: duration, in: segment).count + distribution.count <= Limits.countMax else {
        throw reader.damage("too many durations")
      }
      merge(distribution, into: duration, in: segment)
    }
    for id in 0..<shape.values { try mergeValues(of: id, in: segment, from: &reader) }
    for id in 0..<shape.properties { try mergeProperties(of: id, in: segment, from: &reader) }
    for id in 0..<shape.examples {
      for _ in 0..<(try reader.count(bytesMin: 1)) {
        guard case .string(let subject) = try reader.value() else { throw reader.damage("an example is not a subject") }
        addExample(subject, to: id, in: segment)
      }
    }
    for (id, crossing) in shape.crossings.enumerated() {
      merge(try CrossCounts(crossing, from: &reader), into: id, in: segment)
    }
  }

  private mutating func mergeValues(
    of id: Int, in segment: Int, from reader: inout StateReader
  ) throws(StateDamage) {
    for _ in 0..<(try reader.count(bytesMin: 2)) {
      var combination: [PropertyValue] = []
      for _ in 0..<(try reader.count(bytesMin: 1)) { combination.append(try reader.value()) }
      let count = try reader.quantity()
      guard count > 0, (values(of: id, in: segment).counts[combination] ?? 0) + count <= Limits.countMax else {
        throw reader.damage("not a count of a value")
      }
      self.count(combination, count, in: id, of: segment)
    }
  }

  private mutating func mergeProperties(
    of id: Int, in segment: Int, from reader: inout StateReader
  ) throws(StateDamage) {
    for _ in 0..<(try reader.count(bytesMin: 2)) {
      guard case .string(let key) = try reader.value() else { throw reader.damage("a key is not a string") }
      for _ in 0..<(try reader.count(bytesMin: 2)) {
        let value = try reader.value()
        if case .double(let double) = value, !double.isFinite { throw reader.damage("a property's value is not a number") }
        let count = try reader.quantity()
        guard count > 0, properties(of: id, in: segment)[key][value] + count <= Limits.countMax else {
          throw reader.damage("not a count of a property's value")
        }
        countProperty(key, value, count, in: id, of: segment)
      }
    }
  }
}

extension AggregateShape {
  /// The sizes in the header of a state, in the order of the format.
  fileprivate var counts: [Int] { [counters, durations, values, properties, examples] }
}

extension PropertyCounts {
  /// Writes the keys, each with the counts of its values (``StateFormat``).
  fileprivate func write(to writer: inout StateWriter) {
    let sorted = sorted
    writer.append(number: sorted.count)
    for (key, values) in sorted {
      writer.append(.string(key))
      let values = values.sorted
      writer.append(number: values.count)
      for (value, count) in values {
        writer.append(value)
        writer.append(number: count)
      }
    }
  }
}

extension ValueCounts {
  /// Writes the values with their counts (``StateFormat``).
  fileprivate func write(to writer: inout StateWriter) {
    let sorted = sorted
    writer.append(number: sorted.count)
    for (values, count) in sorted {
      writer.append(number: values.count)
      for value in values { writer.append(value) }
      writer.append(number: count)
    }
  }
}

extension Examples {
  /// Writes the subjects (``StateFormat``).
  fileprivate func write(to writer: inout StateWriter) {
    writer.append(number: subjects.count)
    for subject in subjects { writer.append(.string(subject)) }
  }
}
