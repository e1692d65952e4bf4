package import FunnelIngest
package import FunnelModel
internal import FunnelSystem

/// A batch of events prepared for a commit: its duplicates are identified, and its new events are a sorted run
/// in memory.
package struct PreparedRun: Sendable {
  /// Whether each event of the batch is dropped: the index contains it, or an earlier event of the batch is equal.
  package let isDropped: [Bool]
  /// The sorted run of the remaining events, open for reading.
  let run: SortedRun

  /// The number of mapped bytes of the index above which their pages are released.
  private static let mappedBytesTarget = 64 << 20
  /// The largest number of partitions that are searched between two releases.
  private static let partitionsBetweenReleasesMax = 16

  /// Searches an index and the batch itself for duplicates of the batch's events, and encodes the events that are new.
  ///
  /// The cost depends on the size of the batch, not on that of the index.
  ///
  /// - Parameter events: The events that the batch was recorded from.
  /// - Throws: `inputOutput` if the index is damaged.
  package init(_ batch: IndexBatch, of events: EventBatch, notIn index: EventIndex) throws(FunnelError) {
    precondition(batch.isIndexable, "a batch with too many event types has no run")
    let names = IdentityNames(batch.union.dictionaries.types, index.runs)
    let numbers = EventNumbers(events)
    let partitionBytes = index.runs.reduce(0) { $0 + $1.byteCount } / IndexFormat.partitionCount
    let partitionsInTarget = Self.mappedBytesTarget / max(partitionBytes, 1)
    let partitionsBetweenReleases = min(max(partitionsInTarget, 1), Self.partitionsBetweenReleasesMax)
    let prepared = try Parallel.map(count: IndexFormat.partitionCount, threads: batch.threads) {
      (number) throws(FunnelError) in
      let partition = BatchPartition(batch, number, names: names.ofBatch)
      partition.hashIDs()
      for (namesOfRun, run) in zip(names.ofRuns, index.runs) where run.subjectCount(ofPartition: number) > 0 {
        try DuplicateSearch(for: partition, in: run, namesOfRun: namesOfRun).dropFound()
      }
      // The searches touch pages all over the files, and the system maps adjacent pages too. Pages are released
      // only when many may be mapped, because unmapping interrupts all cores.
      if number % partitionsBetweenReleases == 0 { for run in index.runs { run.releasePages() } }
      OwnDuplicates(partition, numbers).drop()
      return (encoded: partition.encode(), dropped: partition.droppedRows)
    }
    var isDropped = Array(repeating: false, count: numbers.count)
    for partition in prepared { for row in partition.dropped { isDropped[numbers.number(of: row)] = true } }
    self.isDropped = isDropped
    let target = MemoryTarget(capacity: prepared.reduce(1 << 16) { $0 + $1.encoded.bytes.count })
    var writer = RunWriter(to: target, dictionaries: batch.union.dictionaries)
    for partition in prepared { try writer.append(partition.encoded) }
    _ = try writer.finish()
    guard let run = SortedRun(target) else { throw FunnelError.damagedIndex }
    self.run = run
  }
}
