internal import FunnelIngest
internal import FunnelModel

/// Searches one partition of one run for a batch's events, and drops those it finds from the batch.
///
/// Without an index, ``StoredEvents/known(among:in:threads:)`` finds the same events by reading the whole log.
///
/// The batch's subjects are looked up in the sorted keys of the run, and only the pages touched are read.
struct DuplicateSearch {
  private let partition: BatchPartition
  private let run: SortedRun
  private let rows: UnsafeBufferPointer<SortedRow>
  private let filter: SubjectFilter?
  private let namesOfRun: [Int32]
  private let keys: UnsafeRawBufferPointer
  private let plain: UnsafeRawBufferPointer
  private let ids: IDCursor
  private let subjects: Int
  private let events: Int

  init(
    for partition: BatchPartition, in run: SortedRun, namesOfRun: [Int32]
  ) throws(FunnelError) {
    self.partition = partition
    self.run = run
    self.namesOfRun = namesOfRun
    rows = partition.rows
    let partition = partition.number
    filter = try run.subjectFilter(ofPartition: partition, askedFor: rows.count)
    subjects = run.subjectCount(ofPartition: partition)
    events = run.eventCount(ofPartition: partition)
    keys = try run.uncheckedSection(.keys, ofPartition: partition)
    plain = try run.uncheckedSection(.plain, ofPartition: partition)
    ids = try IDCursor(run.uncheckedSection(.ids, ofPartition: partition), subjects: subjects)
    guard keys.count == subjects * 16, plain.count >= (subjects * 4 + 7) / 8 * 8 + subjects * 8 + events * run.typeWidth else {
      throw IndexDamage.error
    }
  }

  func dropFound() throws(FunnelError) {
    var start = 0
    var place = 0
    while start < rows.count, place < subjects {
      var end = start + 1
      while end < rows.count, rows[end].isOfSameSubject(as: rows[start]) { end += 1 }
      let key = Hash128(high: rows[start].subjectHigh, low: rows[start].subjectLow)
      if let filter, !filter.mayHold(key) {
        start = end
        continue
      }
      place = try firstSubject(from: place, notBefore: key)
      if place < subjects, try self.key(place) == key {
        try match(start..<end, withSubject: place)
        place += 1
      }
      start = end
    }
  }

  /// Returns the first subject at or after `start` whose key is not smaller than `key`: an exponential search, then a binary search.
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
    let bytes = UnsafeRawBufferPointer(rebasing: keys[subject * 16..<subject * 16 + 16])
    try run.check(bytes)
    return Hash128(high: bytes.loadUnaligned(as: UInt64.self), low: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  private func match(_ range: Range<Int>, withSubject subject: Int) throws(FunnelError) {
    let (first, count) = try eventRange(ofSubject: subject)
    let types = UnsafeRawBufferPointer(rebasing: plain[typeOffset(first)..<typeOffset(first + count)])
    try run.check(types)
    try run.check(ids.endBytes(ofSubject: subject))
    try run.check(try ids.idBytes(ofSubject: subject))
    let own = OwnEvents(partition, range)
    var unknownType = false
    try ids.forEach(ofSubject: subject, count: count) { event, id in
      let type = type(types, event)
      guard type < namesOfRun.count else { return unknownType = true }
      own.forEach(named: namesOfRun[type], id) { partition.drop($0) }
    }
    if unknownType { throw IndexDamage.error }
  }

  private func typeOffset(_ event: Int) -> Int {
    (subjects * 4 + 7) / 8 * 8 + subjects * 8 + event * run.typeWidth
  }

  private func type(_ types: UnsafeRawBufferPointer, _ event: Int) -> Int {
    switch run.typeWidth {
    case 1: Int(types[event])
    case 2: Int(types.loadUnaligned(fromByteOffset: event * 2, as: UInt16.self))
    default: Int(types.loadUnaligned(fromByteOffset: event * 4, as: UInt32.self))
    }
  }

  private func eventRange(ofSubject subject: Int) throws(FunnelError) -> (first: Int, count: Int) {
    let previous = max(subject - 1, 0)
    let bytes = UnsafeRawBufferPointer(rebasing: plain[previous * 4..<subject * 4 + 4])
    try run.check(bytes)
    let first = subject == 0 ? 0 : Int(bytes.loadUnaligned(as: UInt32.self) >> 1)
    let end = Int(bytes.loadUnaligned(fromByteOffset: bytes.count - 4, as: UInt32.self) >> 1)
    guard first < end, end <= events else { throw IndexDamage.error }
    return (first, end - first)
  }
}

/// The events of one subject in a batch, searchable by name and id.
private struct OwnEvents {
  private let partition: BatchPartition
  private let range: Range<Int>
  /// The events by hash of their id; filled only if the subject has more events than are searched linearly.
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

  @inline(__always)
  func forEach(named name: Int32, _ id: PackedID, _ body: (Int) -> Void) {
    let hash = ByteHash.hash(id.bytes)
    guard range.count <= Self.comparedMax else {
      for event in eventsOfHash[hash] ?? [] where isSame(event, name, id) { body(event) }
      return
    }
    for event in range where partition.idHash(event) == hash && isSame(event, name, id) { body(event) }
  }

  private func isSame(_ event: Int, _ name: Int32, _ id: PackedID) -> Bool {
    partition.name(event) == name && partition.row(event).id.isEqual(to: id)
  }
}
