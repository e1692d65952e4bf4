package import FunnelIngest
package import FunnelModel
internal import FunnelSystem

/// A batch that is about to be committed: which of its events are left out, and the run of the others, in memory.
package struct PreparedRun: Sendable {
  /// For each event of the batch whether it is left out: because the index holds it, or because another one of the batch is the same event
  /// and comes first.
  package let isDropped: [Bool]
  /// The run of the others, open for reading.
  let run: IndexRun

  /// Bytes of index that may be mapped before they are let go of.
  private static let mappedBytesTarget = 64 << 20

  /// Looks for a batch's events in an index and among themselves, and encodes those that are new.
  ///
  /// The cost is that of the batch, however large the index is.
  ///
  /// - Parameter events: The events the batch was recorded of.
  /// - Throws: `inputOutput` where the index is damaged.
  package init(_ batch: IndexBatch, of events: EventBatch, notIn index: JourneyIndex) throws(FunnelError) {
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
      // The searches touch pages all over the files, and the system maps their neighbours too. They are let go of only where they may have
      // become many: all cores have to agree on it.
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
    guard let run = IndexRun(target) else { throw IndexDamage.error }
    self.run = run
  }
}
