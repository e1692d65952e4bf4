package import FunnelIngest
package import FunnelModel
internal import FunnelSystem

/// A batch that is about to be committed: which of its events are dropped, and the run of the others, in memory.
package struct PreparedRun: Sendable {
  /// Whether each event of the batch is dropped: because the index already has it, or because it duplicates another event of the batch
  /// that comes first.
  package let isDropped: [Bool]
  /// The run of the other events, open for reading.
  let run: SortedRun

  /// The number of bytes of the index that may be mapped before they are released.
  private static let mappedBytesTarget = 64 << 20

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
    let partitionBytes = index.runs.reduce(0) { $0 + $1.bytes.count } / IndexFormat.partitionCount
    let partitionsBetweenReleases = min(max(Self.mappedBytesTarget / max(partitionBytes, 1), 1), 16)
    let prepared = try Parallel.map(count: IndexFormat.partitionCount, threads: batch.threads) {
      (number) throws(FunnelError) in
      let partition = BatchPartition(batch, number, names: names.ofBatch)
      partition.hashIDs()
      for (namesOfRun, run) in zip(names.ofRuns, index.runs) where run.subjectCount(ofPartition: number) > 0 {
        try DuplicateSearch(for: partition, in: run, namesOfRun: namesOfRun).dropFound()
      }
      // The searches touch pages all over the files, and the system maps neighbouring pages too. They are released only when many may be
      // mapped, because unmapping interrupts all cores.
      if number % partitionsBetweenReleases == 0 { for run in index.runs { run.releasePages() } }
      OwnDuplicates(partition, numbers).drop()
      return (encoded: partition.encode(), dropped: partition.droppedRows)
    }
    var isDropped = Array(repeating: false, count: numbers.count)
    for partition in prepared { for row in partition.dropped { isDropped[numbers.number(of: row)] = true } }
    self.isDropped = isDropped
    let target = MemoryTarget(capacity: prepared.reduce(1 << 16) { $0 + $1.encoded.bytes.count })
    var image = RunImage(to: target, dictionaries: batch.union.dictionaries)
    for partition in prepared { try image.append(partition.encoded) }
    _ = try image.finish()
    guard let run = SortedRun(target) else { throw IndexDamage.error }
    self.run = run
  }
}
