public import FunnelIndex
public import FunnelModel
import FunnelSystem

/// Folds all histories in one pass over them, with the selected projectors of each flow version and the partitions in parallel.
public enum ProjectionFold {
  /// Projectors that count groups by the same query. Reports that count by different queries are several countings of one fold: the
  /// histories are read and sorted once for all of them.
  public struct Counting: Sendable {
    public var query: ReportQuery
    /// The projectors, each at most once.
    public var projectors: [any Projector.Type]

    public init(query: ReportQuery, projectors: [any Projector.Type]) {
      self.query = query
      self.projectors = projectors
    }
  }

  /// Counts all groups.
  ///
  /// - Parameters:
  ///   - source: The histories.
  ///   - catalog: The flow definitions in force.
  ///   - flows: Indices in the catalog of the flow versions that are counted.
  ///   - countings: What is counted, at least one.
  ///   - threads: The number of partitions folded at once. It never changes the counts.
  /// - Returns: For each counting the counts of each flow version, in the order of the catalog, which is that of specification section 5.
  /// - Throws: The error of the source.
  public static func counts(
    of source: some SequenceSource, catalog: FlowCatalog, flows: Set<Int>, countings: [Counting], threads: Int
  ) throws(FunnelError) -> [[FlowCounts]] {
    precondition(!countings.isEmpty, "a fold counts something")
    let plans = countings.map {
      FoldPlan(catalog: catalog, flows: flows, query: $0.query, projectors: $0.projectors)
    }
    let aggregates = try aggregates(of: source, plans: plans, threads: threads)
    return zip(plans, aggregates).map { plan, aggregates in
      zip(plan.flows, aggregates).map { FlowCounts(projection: $0, aggregate: $1) }
    }
  }

  /// Returns the tallies of all threads together, by index of the plan and of the flow. Each thread takes the next partition when it has
  /// finished one, and counts into a single state, because merging states costs more than folding a partition.
  private static func aggregates(
    of source: some SequenceSource, plans: [FoldPlan], threads: Int
  ) throws(FunnelError) -> [[Aggregate]] {
    let next = AtomicInteger(0)
    let partitionCount = source.partitionCount
    let threadCount = max(1, min(threads, partitionCount))
    let results = try Parallel.map(count: threadCount, threads: threadCount) { (number) throws(FunnelError) in
      let workers = FoldWorkers(plans: plans, source: source)
      while true {
        let partition = next.add(1) - 1
        guard partition < partitionCount else {
          source.releaseMemory(share: number, of: threadCount)
          return workers.finish()
        }
        try workers.fold(source, partition: partition)
      }
    }
    var merged = results[0]
    for result in results.dropFirst() {
      for plan in merged.indices {
        for place in merged[plan].indices { merged[plan][place].merge(result[plan][place]) }
      }
    }
    return merged
  }
}

/// The workers of one thread, one for each plan.
private struct FoldWorkers: ~Copyable {
  private let workers: UnsafeMutablePointer<FoldWorker>
  private let count: Int

  init(plans: [FoldPlan], source: some SequenceSource) {
    count = plans.count
    workers = .allocate(capacity: count)
    for (index, plan) in plans.enumerated() { (workers + index).initialize(to: FoldWorker(plan: plan, source: source)) }
  }

  deinit {
    workers.deinitialize(count: count)
    workers.deallocate()
  }

  func fold(_ source: some SequenceSource, partition: Int) throws(FunnelError) {
    // One plan is the usual case, and a loop over the plans would cost it some instructions for each history.
    guard count > 1 else { return try source.forEachSequence(inPartition: partition) { workers.pointee.fold($0) } }
    try source.forEachSequence(inPartition: partition) { sequence in
      for index in 0..<count { workers[index].fold(sequence) }
    }
  }

  func finish() -> [[Aggregate]] { (0..<count).map { workers[$0].finish() } }
}
