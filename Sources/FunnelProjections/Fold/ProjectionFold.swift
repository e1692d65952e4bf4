package import FunnelIndex
package import FunnelModel
import FunnelSystem

/// Computes the aggregates of reports in one pass over all event sequences, with partitions in parallel.
package enum ProjectionFold {
  /// A query and the projectors that use it.
  ///
  /// Reports with different queries are several countings of one pass.
  package struct Counting: Sendable {
    package var query: ReportQuery
    /// The types of the projectors, each at most once.
    package var projectors: [any Projector.Type]

    /// Creates a counting.
    package init(query: ReportQuery, projectors: [any Projector.Type]) {
      self.query = query
      self.projectors = projectors
    }
  }

  /// Returns the counts of all groups.
  ///
  /// - Parameters:
  ///   - source: The source of the event sequences.
  ///   - catalog: The flow definitions in force.
  ///   - flows: Indices in the catalog of the flow versions that are counted.
  ///   - countings: The countings, at least one.
  ///   - threads: The number of partitions that are aggregated at once. It does not affect the counts.
  /// - Returns: The counts of each flow version for each counting. Flow versions are in the order of the catalog,
  ///   which is that of specification section 5.
  /// - Throws: The error of the source.
  package static func counts(
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

  /// Returns the merged aggregates of all threads, by index of the plan and of the flow.
  // A thread uses the same aggregates for all its partitions, because merging costs more than aggregating a partition.
  private static func aggregates(
    of source: some SequenceSource, plans: [FoldPlan], threads: Int
  ) throws(FunnelError) -> [[Aggregate]] {
    let next = AtomicInteger(0)
    let partitionCount = source.partitionCount
    let threadCount = max(1, min(threads, partitionCount))
    let results = try Parallel.map(count: threadCount, threads: threadCount) { (number) throws(FunnelError) in
      var workers = FoldWorkers(plans: plans, source: source)
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
        for flow in merged[plan].indices { merged[plan][flow].merge(result[plan][flow]) }
      }
    }
    return merged
  }
}

/// The workers of one thread, one for each plan.
private struct FoldWorkers: ~Copyable {
  private var workers: FixedArray<FoldWorker>

  init(plans: [FoldPlan], source: some SequenceSource) {
    workers = FixedArray(count: plans.count) { FoldWorker(plan: plans[$0], source: source) }
  }

  /// Aggregates the event sequences of a partition for each plan.
  ///
  /// - Throws: The error of the source.
  mutating func fold(_ source: some SequenceSource, partition: Int) throws(FunnelError) {
    // Most folds have one plan, and a loop over the plans would cost some instructions for each event sequence.
    guard workers.count > 1 else { return try source.forEachSequence(inPartition: partition) { workers[0].fold($0) } }
    try source.forEachSequence(inPartition: partition) { sequence in
      for index in 0..<workers.count { workers[index].fold(sequence) }
    }
  }

  /// Returns the aggregates, by index of the plan and of the flow.
  mutating func finish() -> [[Aggregate]] { (0..<workers.count).map { workers[$0].finish() } }
}
