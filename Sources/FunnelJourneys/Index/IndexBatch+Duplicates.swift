internal import FunnelIngest
package import FunnelModel
internal import FunnelStorage

extension IndexBatch {
  /// Which events of the batch an index holds already: those with the same app, subject, name and id.
  ///
  /// The cost is that of the batch: its subjects are searched for in the sorted keys of each run, and only the pages touched are read.
  ///
  /// - Returns: For each block, whether each of its events is held.
  /// - Throws: `inputOutput` where the index is damaged.
  package func duplicates(of index: JourneyIndex) throws(FunnelError) -> EventSelection {
    try duplicates(of: index.runs)
  }

  func duplicates(of runs: [IndexRun]) throws(FunnelError) -> EventSelection {
    var selection = blocks.map { Array(repeating: false, count: $0.count) }
    let names = IdentityNames(union.dictionaries.types, runs)
    let found = try Parallel.map(count: IndexFormat.partitionCount, threads: threads) { (partition) throws(FunnelError) in
      var found: [SortedRow] = []
      for (number, run) in runs.enumerated() where run.subjectCount(ofPartition: partition) > 0 {
        var search = try DuplicateSearch(self, run, partition, namesOfBatch: names.ofBatch, namesOfRun: names.ofRuns[number])
        try search.run { found.append($0) }
        // A search touches pages all over the file, and the system maps their neighbours too.
        run.releasePages()
      }
      return found
    }
    for rows in found { for row in rows { selection[Int(row.block)][Int(row.row)] = true } }
    return selection
  }
}

/// App and name of event types under common numbers, which runs and batch share.
private struct IdentityNames {
  private(set) var ofBatch: [Int32] = []
  private(set) var ofRuns: [[Int32]] = []

  init(_ types: [[UInt8]], _ runs: [IndexRun]) {
    var numbers: [[UInt8]: Int32] = [:]
    func number(_ type: [UInt8]) -> Int32 {
      let key = type.withUnsafeBytes { EventTypeText($0)?.identityKey ?? [] }
      let number = numbers[key] ?? Int32(numbers.count)
      numbers[key] = number
      return number
    }
    ofBatch = types.map(number)
    ofRuns = runs.map { $0.types.map(number) }
  }
}

/// The events a batch has of one subject, to be found by name and id.
private struct OwnEvents: ~Copyable {
  private let batch: IndexBatch
  private let rows: UnsafeBufferPointer<SortedRow>
  private let names: [Int32]
  private var hashes: GrowingStorage<UInt64>
  /// The events of each hash, where the subject has so many that going through them all would take long.
  private var eventsOfHash: [UInt64: [Int]] = [:]

  /// Up to how many events are gone through.
  private static let comparedMax = 64

  init(_ batch: IndexBatch, _ rows: UnsafeBufferPointer<SortedRow>, names: [Int32]) {
    self.batch = batch
    self.rows = rows
    self.names = names
    hashes = GrowingStorage(capacity: rows.count)
    for row in rows { hashes.append(ByteHash.hash(batch.views.row(row).id.bytes)) }
    if rows.count > Self.comparedMax {
      for event in 0..<rows.count { eventsOfHash[hashes[event], default: []].append(event) }
    }
  }

  @inline(__always)
  mutating func forEach(named name: Int32, _ id: PackedID, _ body: (Int) -> Void) {
    let hash = ByteHash.hash(id.bytes)
    guard rows.count <= Self.comparedMax else {
      for event in eventsOfHash[hash] ?? [] where isSame(event, name, id) { body(event) }
      return
    }
    for event in 0..<rows.count where hashes[event] == hash && isSame(event, name, id) { body(event) }
  }

  private func isSame(_ event: Int, _ name: Int32, _ id: PackedID) -> Bool {
    let row = batch.views.row(rows[event])
    return names[Int(row.type)] == name && row.id.isEqual(to: id)
  }
}

/// Looks for a batch's events in one partition of one run.
private struct DuplicateSearch {
  private let batch: IndexBatch
  private let run: IndexRun
  private let rows: UnsafeBufferPointer<SortedRow>
  private let namesOfBatch: [Int32]
  private let namesOfRun: [Int32]
  private let keys: UnsafeRawBufferPointer
  private let plain: UnsafeRawBufferPointer
  private let ids: IDCursor
  private let subjects: Int
  private let events: Int

  init(
    _ batch: IndexBatch, _ run: IndexRun, _ partition: Int, namesOfBatch: [Int32], namesOfRun: [Int32]
  ) throws(FunnelError) {
    self.batch = batch
    self.run = run
    self.namesOfBatch = namesOfBatch
    self.namesOfRun = namesOfRun
    rows = batch.rows(ofPartition: partition)
    subjects = run.subjectCount(ofPartition: partition)
    events = run.eventCount(ofPartition: partition)
    keys = try run.uncheckedSection(.keys, ofPartition: partition)
    plain = try run.uncheckedSection(.plain, ofPartition: partition)
    ids = try IDCursor(run.uncheckedSection(.ids, ofPartition: partition), subjects: subjects)
    guard keys.count == subjects * 16, plain.count >= (subjects * 4 + 7) / 8 * 8 + subjects * 8 + events * run.typeWidth else {
      throw IndexDamage.error
    }
  }

  mutating func run(_ found: (SortedRow) -> Void) throws(FunnelError) {
    var start = 0
    var place = 0
    while start < rows.count, place < subjects {
      var end = start + 1
      while end < rows.count, rows[end].isOfSameSubject(as: rows[start]) { end += 1 }
      let key = Hash128(high: rows[start].subjectHigh, low: rows[start].subjectLow)
      place = try firstSubject(from: place, notBefore: key)
      if place < subjects, try self.key(place) == key {
        try match(UnsafeBufferPointer(rebasing: rows[start..<end]), withSubject: place, found)
        place += 1
      }
      start = end
    }
  }

  /// The first subject from a place on whose key is not smaller: by doubled steps, then by halving.
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

  private func match(
    _ rows: UnsafeBufferPointer<SortedRow>, withSubject subject: Int, _ found: (SortedRow) -> Void
  ) throws(FunnelError) {
    let (first, count) = try eventRange(ofSubject: subject)
    let types = UnsafeRawBufferPointer(rebasing: plain[typeOffset(first)..<typeOffset(first + count)])
    try run.check(types)
    try run.check(ids.endBytes(ofSubject: subject))
    try run.check(try ids.idBytes(ofSubject: subject))
    var own = OwnEvents(batch, rows, names: namesOfBatch)
    var unknownType = false
    try ids.forEach(ofSubject: subject, count: count) { event, id in
      let type = type(types, event)
      guard type < namesOfRun.count else { return unknownType = true }
      own.forEach(named: namesOfRun[type], id) { found(rows[$0]) }
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
