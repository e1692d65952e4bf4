import FunnelSequences
package import FunnelIndex
package import FunnelDecoding
import FunnelIngest
package import FunnelModel
package import FunnelRendering
package import FunnelReports
import FunnelStore

/// The result of one pass over the events of a source, and what the pass found.
package struct EventPass<Result> {
  package let result: Result
  /// The flow versions that the result covers.
  package let flows: ReportFlows
  package let contents: StoreContents
  /// The counts from reading files, or `nil` for a store.
  package let counts: InputCounts?
  /// The gzip members of the log that could not be read, or `nil` if the log is intact.
  package let damage: ReportDamage?
  /// The snapshots of days whose events were dropped, or `nil` if they cannot answer the query.
  package let snapshots: TrendSnapshots?
  /// The number of subjects that are excluded because the store lists them as internal.
  package var internalSubjects = 0
  /// The check for keys, values and steps of the query that do not exist.
  package let unknownKeys: UnknownKeys
}

/// Computes reports from the events of a store or of files.
package struct ReportReader<Monitor: OperationMonitor>: Sendable {
  let source: EventSource
  let definitions: DefinitionSources
  /// The flows to report on, as `APP/FLOW` or `APP/FLOW@VERSION`. Empty for all.
  let flows: [String]
  /// The app of an ad-hoc flow, or `nil` to derive it from the events.
  let app: String?
  let threads: Int
  let memory: MemoryLimit
  let monitor: Monitor

  /// Returns a query with the event details that reports of some flows need.
  package typealias Preparation = (ReportQuery, [FlowDefinition]) -> ReportQuery

  package init(
    source: EventSource, definitions: DefinitionSources, flows: [String], app: String?, threads: Int,
    memory: MemoryLimit, monitor: Monitor
  ) {
    precondition(threads > 0, "a report needs a thread")
    self.source = source
    self.definitions = definitions
    self.flows = flows
    self.app = app
    self.threads = threads
    self.memory = memory
    self.monitor = monitor
  }

  /// Computes the reports of a selection for a query.
  package func response(to query: ReportQuery, _ selection: ReportSelection) throws(FunnelError) -> ReportResponse {
    try response(to: { _ in [query] }, reading: query, selection)
  }

  /// Computes the reports of a selection for several queries in one pass over the events.
  ///
  /// - Parameters:
  ///   - queries: Returns the queries for some flow versions, at least one. They may differ from `reading`
  ///     only in their period, in whether windows must be closed, and in an earlier `now`.
  ///   - reading: The query for which the events are read. Its period must include those of all queries.
  package func response(
    to queries: ([FlowDefinition]) -> [ReportQuery], reading: ReportQuery, _ selection: ReportSelection
  ) throws(FunnelError) -> ReportResponse {
    let threads = threads
    let reading = try withDriverKeys(reading)
    let pass = try aggregate(reading, prepared: { selection.prepared($0, flows: $1) }) {
      (source, flows, prepared) throws(FunnelError) -> [FunnelReports.Report] in
      try reading.drivers?.share.check(in: flows.definitions)
      let queries = queries(flows.definitions).map { query in
        var query = query
        query.needs = prepared.needs
        query.drivers = prepared.drivers
        return query
      }
      precondition(!queries.isEmpty, "a response needs a query")
      return try FunnelReports.Report.reports(
        of: source, catalog: flows.catalog, flows: flows.indices, queries: queries, selection: selection, threads: threads)
    }
    let reports = pass.result.map { report in
      var report = report
      report.damage = pass.damage
      report.internalSubjects = pass.internalSubjects
      // In a damaged log, a key that seems unknown may occur in the unreadable part.
      if pass.damage == nil { report.keysWithoutValue = pass.unknownKeys.keysWithoutValue }
      if let snapshots = pass.snapshots { report.complete(with: snapshots, flows: pass.flows.definitions) }
      return report
    }
    return ReportResponse(
      reports: reports, query: reading, flows: pass.flows, contents: pass.contents, counts: pass.counts,
      unknownKeys: pass.unknownKeys)
  }

  /// Passes the event sequences to a body.
  ///
  /// - Parameters:
  ///   - prepared: Returns the query with the event details that some flows need.
  ///   - body: Aggregates the event sequences. It is called again if the events must be read again.
  package func aggregate<Result>(
    _ reading: ReportQuery, prepared: Preparation,
    _ body: (any SequenceSource, ReportFlows, ReportQuery) throws(FunnelError) -> Result
  ) throws(FunnelError) -> EventPass<Result> {
    switch source {
    case .files(let files): try aggregate(files, reading, prepared, body)
    case .store(let path):
      try StoreReader.retrying(path, asOf: reading.asOf) { (reader) throws(FunnelError) in
        try aggregate(reader, path: path, reading, prepared, body)
      }
    }
  }

  /// Aggregates the events of files.
  private func aggregate<Result>(
    _ source: FileSource, _ reading: ReportQuery, _ prepared: Preparation,
    _ body: (any SequenceSource, ReportFlows, ReportQuery) throws(FunnelError) -> Result
  ) throws(FunnelError) -> EventPass<Result> {
    let known = try ReportFlows(of: reading, in: definitions.catalog(), flows: flows, app: app)
    var flows = known
    let query = prepared(reading, known.definitions)
    let files = try source.files()
    let options = try source.decoding(now: query.now)
    let phase = monitor.begin("reading", files: files)
    var segments = SegmentTable()
    let (result, counts) = try SequenceTable.withSequences(
      of: .files(files, options: options, threads: threads, memoryBytesMax: memory.eventBytes),
      catalog: known.catalog, query: query, flows: known.indicesToRead, progress: phase.update
    ) { (table) throws(FunnelError) in
      flows = try known.resolved(among: table.contents.apps)
      // Taken after the body, which may add values that an upcast translates.
      defer { segments = table.segments }
      return try body(table, flows, query)
    }
    phase.finish()
    monitor.note(source.imports.report(counts.imports).notes)
    monitor.note(source.duplicateNotes(counts, plans: options.imports) + source.rejectionNotes(counts))
    let keys = KeySource(
      events: .files(files, options: options, paths: source.paths), catalog: flows.catalog, threads: threads)
    return EventPass(
      result: result, flows: flows, contents: StoreContents(counts.contents), counts: counts, damage: nil, snapshots: nil,
      unknownKeys: UnknownKeys(query, segments: segments, flows: flows.definitions, source: keys))
  }

  /// Aggregates the events of a store.
  private func aggregate<Result>(
    _ reader: StoreReader, path: String, _ reading: ReportQuery,
    _ prepared: Preparation,
    _ body: (any SequenceSource, ReportFlows, ReportQuery) throws(FunnelError) -> Result
  ) throws(FunnelError) -> EventPass<Result> {
    let known = try ReportFlows(of: reading, in: definitions.catalog(store: path), flows: flows, app: app)
    var flows = known
    let query = prepared(reading, known.definitions)
    if let since = query.since, let dropped = reader.lastDroppedDay, since.day <= dropped {
      monitor.note(
        "events up to \(dropped) were dropped by 'funnel retain', see the numbers of these days with 'funnel snapshots'")
    }
    let phase = monitor.begin("reading", totalBytes: nil)
    var segments = SegmentTable()
    let folded = try IndexOrLog.withSequences(
      of: reader, catalog: known.catalog, query: query, flows: known.indicesToRead, threads: threads,
      memoryBytesMax: memory.eventBytes, progress: phase.update
    ) { (sequences) throws(FunnelError) in
      segments = sequences.segments
      flows = try known.resolved(among: sequences.contents.apps)
      return try body(sequences, flows, query)
    }
    phase.finish()
    let keys = KeySource(events: .store(reader, path: path), catalog: flows.catalog, threads: threads)
    return EventPass(
      result: folded.result, flows: flows, contents: folded.contents, counts: nil,
      damage: DamagedLog.damage(of: reader, indexedUpTo: folded.indexedCommit),
      snapshots: TrendSnapshots.answer(reading) ? try reader.trendSnapshots() : nil,
      internalSubjects: folded.internalSubjects,
      unknownKeys: UnknownKeys(query, segments: segments, flows: flows.definitions, source: keys))
  }
}

extension StoreReader {
  /// Returns the snapshots of the days whose events were dropped.
  fileprivate func trendSnapshots() throws(FunnelError) -> TrendSnapshots {
    var snapshots = TrendSnapshots()
    for member in try members(of: .snapshots) {
      for line in try read(member).split(separator: UInt8(ascii: "\n")) { try snapshots.add(Array(line)) }
    }
    return snapshots
  }
}
