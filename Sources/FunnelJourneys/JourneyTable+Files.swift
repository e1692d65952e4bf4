public import FunnelIngest
public import FunnelModel

extension JourneyTable {
  /// Reads raw files straight into journeys: validated and deduplicated like an ingest, but nothing is stored.
  ///
  /// - Parameters:
  ///   - files: What to read.
  ///   - catalog: The flow definitions in force.
  ///   - query: What the report asks.
  ///   - flows: Indices in the catalog of the flow versions the report is about.
  ///   - options: How events are validated.
  ///   - threads: How many blocks are decoded at once.
  ///   - progress: Called now and then with how far the reading came.
  /// - Returns: The table, and how many lines were read and refused.
  /// - Throws: `noInput` or `inputOutput` where a file can't be read.
  public static func read(
    files: [InputFile], catalog: FlowCatalog, query: ReportQuery, flows: Set<Int>, options: DecodingOptions, threads: Int,
    progress: (InputProgress) -> Void
  ) throws -> (table: JourneyTable, counts: InputCounts) {
    var table = JourneyTable(catalog: catalog, query: query, flows: flows, isDeduplicating: true)
    var counts = InputCounts()
    var reader = InputReader(files: files)
    let sink = JourneyRowSink(dimensions: table.dimensions)
    try OrderedPipeline.run(
      threads: threads,
      next: { try reader.next() },
      makeWorker: { BlockDecoder(options: options, catalog: catalog) },
      transform: { decoder, block in decoder.decode(block, sink: sink) },
      consume: { block in
        counts.add(block)
        table.append(block)
        progress(InputProgress(events: counts.events, bytes: counts.bytes, fileBytes: reader.fileByteCount))
      })
    return (table, counts)
  }
}
