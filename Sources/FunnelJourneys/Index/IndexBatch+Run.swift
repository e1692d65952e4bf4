internal import FunnelIngest
internal import FunnelModel
internal import FunnelStorage

/// Which events of a batch are meant: for each block one value for each of its events.
package typealias EventSelection = [[Bool]]

extension IndexBatch {
  /// Writes a run of the events that are kept, all of them where nothing is said.
  ///
  /// - Returns: The run's checksum.
  func write(keeping kept: EventSelection?, to target: some RunTarget) throws(FunnelError) -> UInt32 {
    precondition(isIndexable, "a batch with too many event types has no run")
    var image = RunImage(to: target, dictionaries: union.dictionaries)
    try PartitionWaves.forEach(threads: threads) { (partition) throws(FunnelError) in
      self.encode(partition, keeping: kept)
    } consume: { (partition) throws(FunnelError) in
      try image.append(partition)
    }
    return try image.finish()
  }

  /// The run in memory, for reading at once.
  func memoryRun(keeping kept: EventSelection? = nil) throws(FunnelError) -> IndexRun {
    let target = MemoryTarget()
    _ = try write(keeping: kept, to: target)
    guard let run = IndexRun(target) else { throw IndexDamage.error }
    return run
  }

  private func encode(_ partition: Int, keeping kept: EventSelection?) -> EncodedPartition {
    var encoder = PartitionEncoder(typeWidth: IndexFormat.width(forCodes: union.dictionaries.types.count))
    let rows = rows(ofPartition: partition)
    let gathered = GatheredRows(rows, views)
    var start = 0
    while start < rows.count {
      var end = start
      var hasEvents = false
      while end < rows.count, rows[end].isOfSameSubject(as: rows[start]) {
        let sorted = rows[end]
        if kept.map({ $0[Int(sorted.block)][Int(sorted.row)] }) ?? true {
          hasEvents = true
          let row = gathered.row(end, of: views, sorted)
          encoder.append(
            milliseconds: sorted.milliseconds, sequence: row.sequence, type: row.type, attempt: row.attempt,
            context: row.context, props: row.props, id: row.id)
        }
        end += 1
      }
      if hasEvents {
        encoder.endSubject(key: .init(high: rows[start].subjectHigh, low: rows[start].subjectLow))
      }
      start = end
    }
    // The encoder holds pointers to ids until their subject has ended.
    withExtendedLifetime(gathered) {}
    return encoder.finish()
  }
}

/// Makes the partitions of a run a few at a time, on all threads, and hands them over in order: memory holds few of them.
enum PartitionWaves {
  static func forEach(
    threads: Int, make: @Sendable (Int) throws(FunnelError) -> EncodedPartition,
    consume: (EncodedPartition) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    let width = max(threads, 1) * 2
    var first = 0
    while first < IndexFormat.partitionCount {
      let count = min(width, IndexFormat.partitionCount - first)
      let start = first
      let partitions = try Parallel.map(count: count, threads: threads) { (index) throws(FunnelError) in
        try make(start + index)
      }
      for partition in partitions { try consume(partition) }
      first += count
    }
  }
}
