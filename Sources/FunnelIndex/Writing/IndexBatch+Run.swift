internal import FunnelIngest
internal import FunnelModel
internal import FunnelSystem

extension IndexBatch {
  /// Writes all events as a sorted run.
  ///
  /// - Returns: The run's checksum.
  func write(to target: some RunTarget) throws(FunnelError) -> UInt32 {
    precondition(isIndexable, "a batch with too many event types has no run")
    var image = RunImage(to: target, dictionaries: union.dictionaries)
    try PartitionWaves.forEach(threads: threads, bytes: 0) { (partition) throws(FunnelError) in
      BatchPartition(self, partition).encode()
    } consume: { (partition) throws(FunnelError) in
      try image.append(partition)
    }
    return try image.finish()
  }

  /// Returns all events as a sorted run in memory, open for reading.
  func memoryRun() throws(FunnelError) -> SortedRun {
    let target = MemoryTarget()
    _ = try write(to: target)
    guard let run = SortedRun(target) else { throw IndexDamage.error }
    return run
  }
}

/// A pipeline that encodes the partitions of a sorted run on all threads and consumes them in order. Few are in
/// memory at once.
enum PartitionWaves {
  /// The size of a partition, in bytes, above which fewer of them are in memory at once.
  private static let largePartitionBytes = 4 << 20

  /// Returns whether the partitions of a run with `bytes` bytes are large.
  static func areLarge(bytes: Int) -> Bool { bytes / IndexFormat.partitionCount > largePartitionBytes }

  /// Encodes and consumes all partitions.
  ///
  /// - Parameters:
  ///   - bytes: The approximate size of all partitions together.
  ///   - make: Returns an encoded partition, given its index. Called on any thread.
  ///   - consume: Receives the partitions in order.
  static func forEach(
    threads: Int, bytes: Int, make: @escaping @Sendable (Int) throws(FunnelError) -> EncodedPartition,
    consume: (EncodedPartition) throws(FunnelError) -> Void
  ) throws(FunnelError) {
    var partitions = 0..<IndexFormat.partitionCount
    try OrderedPipeline.run(
      threads: threads, underWay: areLarge(bytes: bytes) ? threads : nil,
      next: { () throws(FunnelError) in partitions.popFirst() }, makeWorker: {},
      transform: { (_: inout Void, partition: Int) throws(FunnelError) in try make(partition) }, consume: consume)
  }
}
