internal import FunnelIngest
internal import FunnelModel

/// Readers of the same partition of several runs, which advance together through all subjects in the order of their keys.
struct SubjectReaders: ~Copyable {
  private let readers: UnsafeMutablePointer<SubjectReader>
  /// The key at which each reader is, or the largest possible key if the reader is at its end.
  private let keys: UnsafeMutablePointer<Hash128>
  /// The readers that are not at their end, one bit each.
  private var open: UInt64 = 0
  /// Whether readers skip to subjects that are named, instead of advancing together.
  private let isSkipping: Bool
  let count: Int

  private static let largestKey = Hash128(high: .max, low: .max)

  /// - Parameter measures: The measurements to read of each run; empty to read none.
  init(
    _ runs: [SortedRun], partition: Int, columns: SubjectReader.Columns = .init(), measures: [MeasureTable?] = []
  ) throws(FunnelError) {
    precondition(measures.isEmpty || measures.count == runs.count, "each run has measurements of its own")
    precondition(runs.count <= RunMerger.runsMax, "runs are read a few at a time")
    readers = .allocate(capacity: max(runs.count, 1))
    keys = .allocate(capacity: max(runs.count, 1))
    var made = 0
    do throws(FunnelError) {
      for (source, run) in runs.enumerated() {
        let table = measures.isEmpty ? nil : measures[source]
        (readers + made).initialize(to: try SubjectReader(run, partition: partition, columns: columns, measures: table))
        made += 1
      }
    } catch {
      readers.deinitialize(count: made)
      readers.deallocate()
      keys.deallocate()
      throw error
    }
    (count, isSkipping) = (made, false)
    for source in 0..<count {
      let isThere = readers[source].next() && columns.keys
      (keys + source).initialize(to: isThere ? readers[source].key : Self.largestKey)
      if isThere { open |= 1 << UInt64(source) }
    }
  }

  /// Copies readers, which stay where they are, to let each skip to subjects that are named.
  init(skipping others: borrowing SubjectReaders) {
    (count, open, isSkipping) = (others.count, others.open, true)
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

  /// Returns the smallest key at which a reader is, and the readers at that key, one bit each; nil at the end.
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

  /// The largest number of events that one subject can have in all runs together.
  var eventsMax: Int { (0..<count).reduce(0) { $0 + readers[$1].plain.eventsMax } }

  /// Returns the address of one reader.
  @inline(__always)
  subscript(source: Int) -> UnsafeMutablePointer<SubjectReader> { readers + source }

  /// Appends the events of a reader's current subject, with their ids and measurements.
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

  /// Leaves the current subjects of readers that skip, whose columns have been read, for later ones.
  func leave(_ sources: UInt64) {
    precondition(isSkipping, "readers that do not skip advance by their keys")
    var bits = sources
    while bits != 0 {
      _ = readers[bits.trailingZeroBitCount].next()
      bits &= bits &- 1
    }
  }

  /// Prefetches what tells where the events of a subject are, for ``prefetchEvents(of:)``.
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
