public import FunnelIngest
public import FunnelLog
public import FunnelModel
internal import FunnelStorage

extension JourneyTable {
  /// Reads a store's log into journeys. Its events were validated and deduplicated when they were taken.
  ///
  /// - Throws: `inputOutput` where a member of the log is damaged.
  public static func read(
    store: StoreReader, catalog: FlowCatalog, query: ReportQuery, flows: Set<Int>, threads: Int,
    progress: (InputProgress) -> Void
  ) throws -> JourneyTable {
    var table = JourneyTable(catalog: catalog, query: query, flows: flows, keepsUnwanted: false)
    var counts = InputCounts()
    let now = query.now.milliseconds
    try StoredEvents.forEachBlock(
      of: store, catalog: catalog, threads: threads, sink: JourneyRowSink(dimensions: table.dimensions),
      where: { $0.header.timestamps.lowerBound.milliseconds <= now }
    ) { block in
      counts.add(block)
      table.append(block)
      progress(InputProgress(events: counts.events, bytes: counts.bytes, fileBytes: 0))
    }
    return table
  }
}
