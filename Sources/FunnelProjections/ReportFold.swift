public import FunnelJourneys
public import FunnelModel
import FunnelStorage

/// Computes reports from all histories: one projector for each flow version, partitions folded side by side, states merged.
public enum ReportFold {
  /// The reports selected.
  ///
  /// - Parameters:
  ///   - source: The histories.
  ///   - catalog: The flow definitions in force; rows come in its order, which is that of contract section 5.
  ///   - flows: Indices in the catalog of the flow versions the report is about.
  ///   - query: What is asked.
  ///   - threads: How many partitions are folded at once. It never changes the report.
  public static func report(
    from source: some HistorySource, catalog: FlowCatalog, flows: Set<Int>, query: ReportQuery, selection: ReportSelection,
    threads: Int
  ) throws(FunnelError) -> Report {
    let projectors = catalog.definitions.indices.map { index in
      flows.contains(index) ? ReportProjector(flow: catalog.definitions[index], query: query, selection: selection) : nil
    }
    let empty = projectors.map { $0?.emptyState }
    let countsByAttempt = catalog.definitions.map { (query.countBy ?? $0.countBy) == .attempt }
    let states = try Parallel.map(count: source.partitionCount, threads: threads) { (partition) throws(FunnelError) in
      var states = empty
      try JourneyCutter.forEachJourney(of: source, inPartition: partition, countsByAttempt: countsByAttempt) { flow, journey in
        projectors[flow]?.fold(journey, into: &states[flow]!)
      }
      return states
    }
    var reports: [FlowReport] = []
    for (index, projector) in projectors.enumerated() {
      guard let projector, var merged = empty[index] else { continue }
      for partition in states { merged.merge(partition[index]!) }
      reports += projector.rows(from: merged)
    }
    return Report(query: query, selection: selection, flows: reports)
  }
}
