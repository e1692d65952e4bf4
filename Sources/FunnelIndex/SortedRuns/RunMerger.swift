internal import FunnelModel

/// A merge of several sorted runs into one, partition by partition.
struct RunMerger: Sendable {
  private let runs: [SortedRun]
  private let union: DictionaryUnion

  /// The largest number of runs merged, or read side by side: sets of runs are ``ReaderSet``s.
  static let runsMax = ReaderSet.readersMax

  /// Prepares a merge.
  ///
  /// - Throws: `inputOutput` if a run is damaged.
  init(_ runs: [SortedRun]) throws(FunnelError) {
    precondition(runs.count <= Self.runsMax, "runs are merged a few at a time")
    self.runs = runs
    var dictionaries: [IndexDictionaries] = []
    for run in runs { dictionaries.append(try run.dictionaries()) }
    union = DictionaryUnion(dictionaries)
  }

  /// Whether the runs together have few enough event types.
  var isPossible: Bool { union.dictionaries.hasAllTypes }

  /// Writes the merged run.
  ///
  /// - Returns: The run's checksum.
  func write(to target: some RunTarget, threads: Int) throws(FunnelError) -> UInt32 {
    var writer = RunWriter(to: target, dictionaries: union.dictionaries)
    var partition = 0
    let bytes = runs.reduce(0) { $0 + $1.byteCount }
    try PartitionWaves.forEach(threads: threads, bytes: bytes) { (partition) throws(FunnelError) in
      try self.encode(partition)
    } consume: { (encoded) throws(FunnelError) in
      try writer.append(encoded)
      // Small runs are not released after each partition, because unmapping interrupts all cores.
      if partition % 2 == 0 || PartitionWaves.areLarge(bytes: bytes) { for run in runs { run.releasePages() } }
      partition += 1
    }
    return try writer.finish()
  }

  /// Returns a partition of the merged run.
  private func encode(_ partition: Int) throws(FunnelError) -> EncodedPartition {
    var encoder = PartitionEncoder(
      typeWidth: NumberWidth(forCodes: union.dictionaries.types.count), measures: union.measureCount,
      events: runs.reduce(0) { $0 + $1.eventCount(ofPartition: partition) })
    var readers = try SubjectReaders(
      runs, partition: partition, columns: .init(users: true, userNumbers: true), measures: union.measures)
    var events = UniqueArray<StoredRow>(capacity: 256)
    var measurements = UniqueArray<Measurement>()
    while let (key, sources) = readers.next() {
      events.removeAll()
      measurements.removeAll()
      for source in sources { try readers.read(source, into: &events, &measurements) }
      guard translate(events) else { throw FunnelError.damagedIndex }
      if sources.hasSeveral { sort(events) }
      var user: PackedID?
      var last: (source: UInt8, number: UInt32) = (0, 0)
      for index in 0..<events.count {
        let event = events[index]
        if event.source != last.source || event.user != last.number {
          user = try readers.user(ofNumber: event.user, inRun: Int(event.source))
          last = (event.source, event.user)
        }
        encoder.append(
          milliseconds: event.milliseconds, sequence: event.sequence, type: event.type, attempt: event.attempt,
          context: event.context, props: event.props, id: event.id,
          user: user)
        if event.measurements != EventMeasurements.none { append(measurements, from: Int(event.measurements), to: &encoder) }
      }
      encoder.endSubject(key: key, name: try readers[sources.first].readName())
      readers.advance(sources)
    }
    return encoder.finish()
  }

  /// Appends the measurements of an event to the encoder.
  ///
  /// - Parameter start: The index of the first one. The last one is marked.
  private func append(
    _ measurements: borrowing UniqueArray<Measurement>, from start: Int, to encoder: inout PartitionEncoder
  ) {
    var index = start
    repeat {
      encoder.append(measurements[index].number, of: measurements[index].measure)
      index += 1
    } while !measurements[index - 1].isLast
  }

  /// Replaces the codes of each event by those of the merged run. Returns `false` if a code is not in the
  /// dictionaries of its run.
  private func translate(_ events: borrowing UniqueArray<StoredRow>) -> Bool {
    for index in 0..<events.count {
      let source = Int(events[index].source)
      let context = Int(events[index].context)
      let props = Int(events[index].props)
      guard context < union.context[source].count, props < union.props[source].count else { return false }
      events[index].type = union.types[source][Int(events[index].type)]
      events[index].context = union.context[source][context]
      events[index].props = union.props[source][props]
    }
    return true
  }

  /// Sorts the events of one subject.
  private func sort(_ events: borrowing UniqueArray<StoredRow>) {
    events.mutableElements.sort { a, b in
      EventOrder.precedes(
        .init(milliseconds: a.milliseconds, sequence: a.sequence), .init(milliseconds: b.milliseconds, sequence: b.sequence),
        idOrder: { a.id.order(before: b.id) }, namePrecedes: { union.dictionaries.precedes(a.type, b.type) })
    }
  }
}
