internal import FunnelDecoding
internal import FunnelModel

/// Readers for the same partition of several sorted runs.
///
/// They merge the subjects of all runs in the order of their keys (``next()`` and ``advance(_:)``). Copies made by
/// ``init(skipping:)`` skip to given subjects instead.
struct SubjectReaders: ~Copyable {
  /// The order in which readers advance.
  private enum Mode {
    /// By the keys of all runs.
    case merging
    /// To given subjects.
    case skipping
  }

  private var readers: FixedArray<SubjectReader>
  /// The key of each reader's current subject, or the largest possible key at the end.
  private var keys: FixedArray<Hash128>
  /// The readers that are not at the end.
  private var open = ReaderSet()
  private let mode: Mode

  private static let largestKey = Hash128(high: .max, low: .max)

  /// Opens a partition of each run, at its first subject.
  ///
  /// - Parameter measures: The measurements to read from each run; empty to read none.
  /// - Throws: `inputOutput` if a run is damaged.
  init(
    _ runs: [SortedRun], partition: Int, columns: SubjectReader.Columns = .init(), measures: [MeasureTable?] = []
  ) throws(FunnelError) {
    precondition(measures.isEmpty || measures.count == runs.count, "each run has measurements of its own")
    precondition(runs.count <= RunMerger.runsMax, "runs are read a few at a time")
    readers = try FixedArray(count: runs.count) { (index) throws(FunnelError) in
      try SubjectReader(
        runs[index], partition: partition, columns: columns, measures: measures.isEmpty ? nil : measures[index])
    }
    mode = .merging
    keys = FixedArray(count: runs.count) { _ in Self.largestKey }
    for source in 0..<readers.count where readers[source].next() && columns.keys {
      keys[source] = readers[source].key
      open.insert(source)
    }
  }

  /// Copies readers at their current subjects. The copies skip to given subjects; the originals do not advance.
  init(skipping others: borrowing SubjectReaders) {
    open = others.open
    mode = .skipping
    readers = FixedArray(count: others.count) { others.readers[$0] }
    keys = FixedArray(count: others.count) { others.keys[$0] }
  }

  /// The number of readers.
  var count: Int { readers.count }

  /// Returns the subjects that are in several of the runs.
  func sharedSubjects() -> SharedSubjects {
    var keys: [SubjectKeys] = []
    for source in 0..<count { keys.append(readers[source].keys) }
    return OpenRuns.shared.sharedSubjects(of: keys) { SharedSubjects(keys) }
  }

  /// Returns the smallest current key, and the readers at that key, or `nil` at the end. Does not advance.
  @inline(__always)
  mutating func next() -> (key: Hash128, sources: ReaderSet)? {
    precondition(mode == .merging, "readers that skip are not at the same key")
    guard !open.isEmpty else { return nil }
    var smallest = Self.largestKey
    var sources = ReaderSet()
    for source in 0..<count {
      let key = keys[source]
      if key.high > smallest.high || smallest < key { continue }
      if key != smallest { sources = ReaderSet() }
      sources.insert(source)
      smallest = key
    }
    // Excludes finished readers, in case a subject has the largest possible key.
    return (smallest, sources.intersection(open))
  }

  /// An upper bound on the number of events of one subject in all runs together.
  var eventsMax: Int {
    var sum = 0
    for source in 0..<count { sum += readers[source].plain.eventsMax }
    return sum
  }

  /// Accesses a reader in place.
  @inline(__always)
  subscript(source: Int) -> SubjectReader {
    _read { yield readers[source] }
    _modify { yield &readers[source] }
  }

  /// Appends the events of a reader's current subject, with their IDs and measurements.
  mutating func read(
    _ source: Int, into events: inout UniqueArray<StoredRow>, _ measurements: inout UniqueArray<Measurement>
  ) throws(FunnelError) {
    let start = events.count
    try readers[source].read(into: &events, &measurements, source: UInt8(source))
    try readers[source].readIDs(into: events.mutableElements.dropFirst(start))
  }

  /// Returns a user of a reader's current subject by its number, or `nil` for 0. It is valid as long as the run.
  ///
  /// - Throws: `inputOutput` if the subject has no user of this number.
  func user(ofNumber number: UInt32, inRun source: Int) throws(FunnelError) -> PackedID? {
    guard number > 0 else { return nil }
    let users = readers[source].users.users(ofSubject: readers[source].plain.subject)
    guard Int(number) <= users.count else { throw FunnelError.damagedIndex }
    return try readers[source].readUser(users.lowerBound + Int(number) - 1)
  }

  /// Advances readers to their next subject.
  @inline(__always)
  mutating func advance(_ sources: ReaderSet) {
    for source in sources {
      if readers[source].next() {
        keys[source] = readers[source].key
      } else {
        keys[source] = Self.largestKey
        open.remove(source)
      }
    }
  }

  /// Advances readers that skip to their next subject. The columns of the current one must have been read.
  mutating func leave(_ sources: ReaderSet) {
    precondition(mode == .skipping, "readers that do not skip advance by their keys")
    for source in sources { _ = readers[source].next() }
  }

  /// Prefetches the bounds of a subject's events, which ``prefetchEvents(of:)`` reads.
  @inline(__always)
  func prefetchBounds(of occurrence: SharedSubjects.Occurrence) {
    readers[Int(occurrence.run)].plain.prefetchBounds(of: Int(occurrence.subject))
  }

  /// Prefetches the first events of a subject.
  @inline(__always)
  func prefetchEvents(of occurrence: SharedSubjects.Occurrence) {
    readers[Int(occurrence.run)].plain.prefetchEvents(of: Int(occurrence.subject))
  }
}
