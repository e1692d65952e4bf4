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
    var table = JourneyTable(catalog: catalog, query: query, flows: flows, keepsUnwanted: true)
    var counts = InputCounts()
    // A stream can't be read once more: its records are kept from the start.
    let isStream = files.contains { $0.byteCount == nil }
    var streamed: [DecodedBlock<JourneyRowSink>] = []
    let sink = JourneyRowSink(dimensions: table.dimensions, wantsRecords: isStream)
    try InputReader.forEachDecodedBlock(of: files, catalog: catalog, options: options, threads: threads, sink: sink) {
      block, fileBytes in
      counts.add(block)
      if isStream { streamed.append(block) }
      table.append(block)
      progress(InputProgress(events: counts.events, bytes: counts.bytes, fileBytes: fileBytes))
    }
    let undecided = try table.removeDuplicates(threads: threads)
    guard !undecided.isEmpty else { return (table, counts) }
    var records: Records = [:]
    if isStream {
      for block in streamed { records.add(undecided, from: block) }
    } else {
      try InputReader.forEachDecodedBlock(of: files, catalog: catalog, options: options, threads: threads, sink: NoEventSink())
      { block, _ in
        records.add(undecided, from: block)
      }
    }
    _ = try table.removeDuplicates(threads: threads, records: records)
    return (table, counts)
  }
}

extension JourneyTable.Records {
  /// Takes the records of the wanted events of a block.
  fileprivate mutating func add<Sink>(_ wanted: Set<Hash128>, from block: DecodedBlock<Sink>) {
    block.forEachRecord { event, record in
      if wanted.contains(event.identity) { self[event.identity, default: [:]][event.lineHash] = Array(record) }
    }
  }
}
