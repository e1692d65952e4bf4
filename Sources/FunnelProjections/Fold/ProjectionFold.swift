public import FunnelIndex
public import FunnelModel
import FunnelSystem

/// Folds all histories in one pass, with the selected projectors of each flow version and the partitions in parallel.
public enum ProjectionFold {
  /// Counts all groups.
  ///
  /// - Parameters:
  ///   - source: The histories.
  ///   - catalog: The flow definitions in force.
  ///   - flows: Indices in the catalog of the flow versions that are counted.
  ///   - projectors: The projectors, each at most once.
  ///   - threads: The number of partitions folded at once. It never changes the counts.
  /// - Returns: The counts of each flow version, in the order of the catalog, which is that of specification section 5.
  /// - Throws: The error of the source.
  public static func counts(
    of source: some HistorySource, catalog: FlowCatalog, flows: Set<Int>, query: ReportQuery,
    projectors: [any Projector.Type], threads: Int
  ) throws(FunnelError) -> [FlowCounts] {
    let plan = FoldPlan(catalog: catalog, flows: flows, query: query, projectors: projectors)
    let tallies = try tallies(of: source, plan: plan, threads: threads)
    return zip(plan.flows, tallies).map { FlowCounts(projection: $0, tally: $1) }
  }

  /// Returns the tallies of all threads together, by index of the flow. Each thread takes the next partition when it has finished one, and
  /// counts into a single state, because merging states costs more than folding a partition.
  private static func tallies(
    of source: some HistorySource, plan: FoldPlan, threads: Int
  ) throws(FunnelError) -> [Tally] {
    let next = AtomicInteger(0)
    let partitionCount = source.partitionCount
    let workerCount = max(1, min(threads, partitionCount))
    let results = try Parallel.map(count: workerCount, threads: workerCount) { (number) throws(FunnelError) in
      var worker = FoldWorker(plan: plan, source: source)
      while true {
        let partition = next.add(1) - 1
        guard partition < partitionCount else {
          source.releaseMemory(share: number, of: workerCount)
          return worker.finish()
        }
        try source.forEachHistory(inPartition: partition) { worker.fold($0) }
      }
    }
    var merged = results[0]
    for result in results.dropFirst() {
      for place in merged.indices { merged[place].merge(result[place]) }
    }
    return merged
  }
}
