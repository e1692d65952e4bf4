internal import FunnelDecoding
internal import FunnelModel

/// A search for the events of a batch in one partition of one sorted run. Events that the run contains are
/// dropped from the batch.
///
/// The subjects of the batch are looked up in the sorted keys of the run, and only the pages touched are read.
/// Without an index, ``StoredEvents/known(among:in:threads:)`` finds the same events by reading the whole log.
struct DuplicateSearch {
  private let partition: BatchPartition
  private let run: SortedRun
  private let rows: BorrowedColumn<SortedRow>
  private let filter: SubjectBloomFilter?
  /// The ID of app and name by type code of the run (``IdentityNames``).
  private let namesOfRun: [UInt32]
  private let keys: SubjectKeys
  private let plain: BorrowedBytes
  private let layout: PlainLayout
  private let ids: IDCursor
  /// The number of subjects of the run's partition.
  private let subjects: Int
  /// The number of events of the run's partition.
  private let events: Int

  /// Prepares a search.
  ///
  /// - Throws: `inputOutput` if the index is damaged.
  init(
    for partition: BatchPartition, in run: SortedRun, namesOfRun: [UInt32]
  ) throws(FunnelError) {
    self.partition = partition
    self.run = run
    self.namesOfRun = namesOfRun
    rows = partition.rows
    let partition = partition.number
    filter = try run.subjectFilter(ofPartition: partition, askedFor: rows.count)
    subjects = run.subjectCount(ofPartition: partition)
    events = run.eventCount(ofPartition: partition)
    keys = try SubjectKeys(run.uncheckedSection(.keys, ofPartition: partition), count: subjects)
    layout = PlainLayout(subjects: subjects, typeWidth: run.typeWidth)
    plain = try run.uncheckedSection(.plain, ofPartition: partition)
    ids = try IDCursor(run.uncheckedSection(.ids, ofPartition: partition), subjects: subjects)
    guard plain.count >= layout.typeOffset(events) else { throw FunnelError.damagedIndex }
  }

  /// Drops the events of the batch that the run contains.
  func dropFound() throws(FunnelError) {
    var start = 0
    var subject = 0
    while start < rows.count, subject < subjects {
      var end = start + 1
      while end < rows.count, rows[end].isOfSameSubject(as: rows[start]) { end += 1 }
      let key = Hash128(high: rows[start].subjectHigh, low: rows[start].subjectLow)
      if let filter, !filter.mayHold(key) {
        start = end
        continue
      }
      subject = try firstSubject(from: subject, notBefore: key)
      if subject < subjects, try self.key(subject) == key {
        try match(start..<end, withSubject: subject)
        subject += 1
      }
      start = end
    }
  }

  /// Returns the index of the first subject from `start` on whose key is at least `key`. Exponential search,
  /// then binary search.
  private func firstSubject(from start: Int, notBefore key: Hash128) throws(FunnelError) -> Int {
    var low = start
    var step = 1
    while low + step <= subjects, try self.key(low + step - 1) < key {
      low += step
      step *= 2
    }
    var high = min(low + step, subjects)
    while low < high {
      let middle = (low + high) / 2
      if try self.key(middle) < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func key(_ subject: Int) throws(FunnelError) -> Hash128 {
    assert(subject >= 0 && subject < subjects, "a subject of the partition is read")
    try run.check(keys.keyBytes(ofSubject: subject))
    return keys[subject]
  }

  /// Drops the batch's events of a subject that the run contains.
  ///
  /// - Parameters:
  ///   - range: The rows of the subject in the batch.
  ///   - subject: The index of the subject in the run.
  private func match(_ range: Range<Int>, withSubject subject: Int) throws(FunnelError) {
    let (first, count) = try eventRange(ofSubject: subject)
    let typeBytes = plain[layout.typeOffset(first)..<layout.typeOffset(first + count)]
    try run.check(typeBytes)
    let types = PackedNumbers(typeBytes, width: run.typeWidth)
    try run.check(ids.endBytes(ofSubject: subject))
    try run.check(try ids.idBytes(ofSubject: subject))
    let own = OwnEvents(partition, range)
    var unknownType = false
    try ids.forEach(ofSubject: subject, count: count) { event, id in
      let type = types[event]
      guard type < UInt64(namesOfRun.count) else { return unknownType = true }
      own.forEach(named: namesOfRun[Int(type)], id) { partition.drop($0) }
    }
    if unknownType { throw FunnelError.damagedIndex }
  }

  /// Returns the index of a subject's first event in the partition, and the number of its events.
  private func eventRange(ofSubject subject: Int) throws(FunnelError) -> (first: Int, count: Int) {
    let previous = max(subject - 1, 0)
    let size = MemoryLayout<UInt32>.size
    let bytes = plain[previous * size..<(subject + 1) * size]
    try run.check(bytes)
    let first = subject == 0 ? 0 : Int(bytes.load(at: 0, as: UInt32.self) >> 1)
    let end = Int(bytes.load(at: bytes.count - size, as: UInt32.self) >> 1)
    guard first < end, end <= events else { throw FunnelError.damagedIndex }
    return (first, end - first)
  }
}

/// The events of one subject in a batch, searchable by name and ID.
private struct OwnEvents {
  private let partition: BatchPartition
  private let range: Range<Int>
  /// The events by the hash of their ID. Empty if the subject has few enough events for a linear search.
  private var eventsOfHash: [UInt64: [Int]] = [:]

  /// The largest number of events that is searched linearly.
  private static let comparedMax = 64

  init(_ partition: BatchPartition, _ range: Range<Int>) {
    self.partition = partition
    self.range = range
    if range.count > Self.comparedMax {
      for event in range { eventsOfHash[partition.idHash(event), default: []].append(event) }
    }
  }

  /// Passes the events with a name and an ID to `body`.
  @inline(__always)
  func forEach(named name: UInt32, _ id: PackedID, _ body: (Int) -> Void) {
    let hash = ByteHash.hash(id.bytes)
    guard range.count <= Self.comparedMax else {
      for event in eventsOfHash[hash] ?? [] where isSame(event, name, id) { body(event) }
      return
    }
    for event in range where partition.idHash(event) == hash && isSame(event, name, id) { body(event) }
  }

  private func isSame(_ event: Int, _ name: UInt32, _ id: PackedID) -> Bool {
    partition.name(event) == name && partition.row(event).id.isEqual(to: id)
  }
}
