internal import FunnelIngest
internal import FunnelModel

/// Readers of the same partition of several runs, which go through all subjects together in the order of their keys.
struct SubjectReaders: ~Copyable {
  private let readers: UnsafeMutablePointer<SubjectReader>
  private var keys: [Hash128?] = []
  let count: Int

  init(_ runs: [IndexRun], partition: Int, columns: SubjectReader.Columns = .init()) throws(FunnelError) {
    readers = .allocate(capacity: max(runs.count, 1))
    var made = 0
    do throws(FunnelError) {
      for run in runs {
        (readers + made).initialize(to: try SubjectReader(run, partition: partition, columns: columns))
        made += 1
      }
    } catch {
      readers.deinitialize(count: made)
      readers.deallocate()
      throw error
    }
    count = made
    for source in 0..<count {
      let isThere = readers[source].next()
      keys.append(isThere && columns.keys ? readers[source].key : nil)
    }
  }

  deinit {
    readers.deinitialize(count: count)
    readers.deallocate()
  }

  /// The smallest key any reader stands at, and the readers that stand there, a bit for each; nil at the end.
  @inline(__always)
  mutating func next() -> (key: Hash128, sources: UInt64)? {
    var smallest: Hash128?
    var sources: UInt64 = 0
    for source in 0..<count {
      guard let key = keys[source] else { continue }
      if let other = smallest, other < key { continue }
      if smallest == key { sources |= 1 << UInt64(source) } else { sources = 1 << UInt64(source) }
      smallest = key
    }
    return smallest.map { ($0, sources) }
  }

  /// Most events that one subject can have in all the runs together.
  var eventsMax: Int { (0..<count).reduce(0) { $0 + readers[$1].plain.eventsMax } }

  /// Gives access to one reader.
  @inline(__always)
  subscript(source: Int) -> UnsafeMutablePointer<SubjectReader> { readers + source }

  /// Appends the events of the subject a reader stands at, with their ids.
  mutating func read(_ source: Int, into events: inout GrowingStorage<StoredRow>) throws(FunnelError) {
    let start = events.count
    try readers[source].read(into: &events, source: UInt8(source))
    try readers[source].readIDs(into: events.base + start)
  }

  /// Lets readers go on to their next subject.
  @inline(__always)
  mutating func advance(_ sources: UInt64) {
    var bits = sources
    while bits != 0 {
      let source = bits.trailingZeroBitCount
      bits &= bits &- 1
      keys[source] = readers[source].next() ? readers[source].key : nil
    }
  }
}
