public import FunnelJourneys
public import FunnelModel

/// Computes reports from all journeys: one projector for each flow version, partitions folded side by side, states merged.
public enum ReportFold {
  /// The reports selected.
  ///
  /// - Parameters:
  ///   - table: The journeys.
  ///   - catalog: The flow definitions in force; rows come in its order, which is that of contract section 5.
  ///   - flows: Indices in the catalog of the flow versions the report is about.
  ///   - query: What is asked.
  ///   - threads: How many partitions are folded at once. It never changes the report.
  public static func report(
    from table: JourneyTable, catalog: FlowCatalog, flows: Set<Int>, query: ReportQuery, selection: ReportSelection, threads: Int
  ) throws(FunnelError) -> Report {
    let projectors = catalog.definitions.indices.map { index in
      flows.contains(index) ? ReportProjector(flow: catalog.definitions[index], query: query, selection: selection) : nil
    }
    let empty = projectors.map { $0?.emptyState }
    let states = try table.fold(threads: threads, makeState: { empty }) { states, flow, journey in
      guard let projector = projectors[flow] else { return }
      projector.fold(journey, into: &states[flow]!)
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
