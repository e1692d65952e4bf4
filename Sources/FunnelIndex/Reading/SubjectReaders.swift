internal import FunnelIngest
internal import FunnelModel

/// Readers for the same partition of several sorted runs.
///
/// They merge the subjects of all runs in the order of their keys (``next()`` and ``advance(_:)``). Copies made by
/// ``init(skipping:)`` skip to given subjects instead. A set of readers is a `UInt64` with one bit for each reader.
struct SubjectReaders: ~Copyable {
  private let readers: UnsafeMutablePointer<SubjectReader>
  /// The key of each reader's current subject, or the largest possible key at the end.
  private let keys: UnsafeMutablePointer<Hash128>
  /// The readers that are not at the end.
  private var open: UInt64 = 0
  /// Whether readers skip to given subjects instead of merging.
  private let isSkipping: Bool
  /// The number of readers.
  let count: Int

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
    readers = .allocate(capacity: max(runs.count, 1))
    keys = .allocate(capacity: max(runs.count, 1))
    var opened = 0
    do throws(FunnelError) {
      for (source, run) in runs.enumerated() {
        let table = measures.isEmpty ? nil : measures[source]
        (readers + opened).initialize(to: try SubjectReader(run, partition: partition, columns: columns, measures: table))
        opened += 1
      }
    } catch {
      readers.deinitialize(count: opened)
      readers.deallocate()
      keys.deallocate()
      throw error
    }
    count = opened
    isSkipping = false
    for source in 0..<count {
      let hasKey = readers[source].next() && columns.keys
      (keys + source).initialize(to: hasKey ? readers[source].key : Self.largestKey)
      if hasKey { open |= 1 << UInt64(source) }
    }
  }

  /// Copies readers at their current subjects. The copies skip to given subjects; the originals do not advance.
  init(skipping others: borrowing SubjectReaders) {
    count = others.count
    open = others.open
    isSkipping = true
    readers = .allocate(capacity: max(count, 1))
    keys = .allocate(capacity: max(count, 1))
    readers.initialize(from: others.readers, count: count)
    keys.initialize(from: others.keys, count: count)
  }

  deinit {
    readers.deinitialize(count: count)
    readers.deallocate()
    keys.deallocate()
  }

  /// Returns the subjects that are in several of the runs.
  func sharedSubjects() -> SharedSubjects {
    let keys = (0..<count).map { readers[$0].keys }
    return OpenRuns.shared.sharedSubjects(of: keys) { SharedSubjects(keys) }
  }

  /// Returns the smallest current key, and the readers at that key, or `nil` at the end. Does not advance.
  @inline(__always)
  mutating func next() -> (key: Hash128, sources: UInt64)? {
    precondition(!isSkipping, "readers that skip are not at the same key")
    guard open != 0 else { return nil }
    var smallest = Self.largestKey
    var sources: UInt64 = 0
    for source in 0..<count {
      let key = keys[source]
      if key.high > smallest.high || smallest < key { continue }
      let bit: UInt64 = 1 << UInt64(truncatingIfNeeded: source)
      sources = key == smallest ? sources | bit : bit
      smallest = key
    }
    // Masks out finished readers, in case a subject has the largest possible key.
    return (smallest, sources & open)
  }

  /// An upper bound on the number of events of one subject in all runs together.
  var eventsMax: Int { (0..<count).reduce(0) { $0 + readers[$1].plain.eventsMax } }

  /// Returns the address of a reader.
  @inline(__always)
  subscript(source: Int) -> UnsafeMutablePointer<SubjectReader> { readers + source }

  /// Appends the events of a reader's current subject, with their IDs and measurements.
  mutating func read(
    _ source: Int, into events: inout GrowingStorage<StoredRow>, _ measurements: inout GrowingStorage<Measurement>
  ) throws(FunnelError) {
    let start = events.count
    try readers[source].read(into: &events, &measurements, source: UInt8(source))
    try readers[source].readIDs(into: events.base + start)
  }

  /// Advances readers to their next subject.
  @inline(__always)
  mutating func advance(_ sources: UInt64) {
    var bits = sources
    while bits != 0 {
      let source = bits.trailingZeroBitCount
      bits &= bits &- 1
      if readers[source].next() {
        keys[source] = readers[source].key
      } else {
        keys[source] = Self.largestKey
        open &= ~(1 << UInt64(truncatingIfNeeded: source))
      }
    }
  }

  /// Advances readers that skip to their next subject. The columns of the current one must have been read.
  func leave(_ sources: UInt64) {
    precondition(isSkipping, "readers that do not skip advance by their keys")
    var bits = sources
    while bits != 0 {
      _ = readers[bits.trailingZeroBitCount].next()
      bits &= bits &- 1
    }
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
