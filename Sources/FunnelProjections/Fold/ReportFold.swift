public import FunnelIndex
public import FunnelModel
import FunnelSystem
import Synchronization

/// Computes reports from all histories, with one projector for each flow version and partitions folded in parallel.
public enum ReportFold {
  /// Computes the selected reports.
  ///
  /// - Parameters:
  ///   - source: The histories.
  ///   - catalog: The flow definitions in force; rows are in its order, which is that of specification section 5.
  ///   - flows: Indices in the catalog of the flow versions the report is about.
  ///   - query: The query of the report.
  ///   - threads: The number of partitions folded at once. It never changes the report.
  public static func report(
    from source: some HistorySource, catalog: FlowCatalog, flows: Set<Int>, query: ReportQuery, selection: ReportSelection,
    threads: Int
  ) throws(FunnelError) -> Report {
    let plan = FoldPlan(catalog: catalog, flows: flows, query: query, selection: selection)
    let tallies = try tallies(of: source, plan: plan, threads: threads)
    let reports = zip(plan.flows, tallies).flatMap { $0.projector.rows(from: $1) }
    return Report(query: query, selection: selection, flows: reports)
  }

  /// Returns the tallies of all threads together, by index of the flow. Each thread takes the next partition when it has finished one, and
  /// counts into a single state, because merging states costs more than folding a partition.
  private static func tallies(
    of source: some HistorySource, plan: FoldPlan, threads: Int
  ) throws(FunnelError) -> [Tally] {
    let next = Atomic(0)
    let partitionCount = source.partitionCount
    let workerCount = max(1, min(threads, partitionCount))
    let results = try Parallel.map(count: workerCount, threads: workerCount) { (number) throws(FunnelError) in
      var worker = FoldWorker(plan: plan, source: source)
      while true {
        let partition = next.add(1, ordering: .relaxed).oldValue
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
