internal import FunnelModel
internal import FunnelRendering
internal import FunnelReports

extension EventStore {
  /// Computes the reports that a query asks for, in one pass over the events.
  ///
  ///     let report = try await store.report(Query(flows: ["cleaner/permissions_flow"]))
  ///     print(report.funnel[0].conversion?.value ?? 0)
  ///
  /// If the log is damaged, the report covers the events that can be read (``Report/missingEventCount``).
  ///
  /// - Throws: ``EventStoreError`` (`invalidArgument`) if a part of the query is not valid, such as a flow that does not exist,
  ///   (`noInput`) if the store was removed, (`inputOutput`) if it can't be read.
  public func report(_ query: Query = Query()) async throws(EventStoreError) -> Report {
    try await EventStoreError.blocking {
      try Report(query, source: .store(path: path), definitions: definitions, configuration)
    }
  }
}

/// Files of events, on which reports can be computed without a store.
///
///     let report = try await EventFiles(["logs/"]).report(Query(flows: ["cleaner/permissions_flow"]))
///
/// The files are read in blocks by all threads, and their events validated and deduplicated as in an ingest. They may be larger than
/// the memory.
public struct EventFiles: Sendable {
  /// The paths of files and folders.
  public let paths: [String]
  /// The app of events that do not name one.
  public var app: String?
  /// The name of the records' format, such as `segment`, or `nil` to detect it.
  public var format: String?
  /// The files that map another product's records to events.
  public var mappingFiles: [String] = []
  /// The settings of reports.
  public var configuration = EventStore.Configuration()

  /// Names files and folders. Reads nothing.
  public init(_ paths: [String]) {
    self.paths = paths
  }

  /// Computes the reports that a query asks for, in one pass over the files.
  ///
  /// - Throws: ``EventStoreError`` (`noInput`) if a file can't be read, and as ``EventStore/report(_:)``.
  public func report(_ query: Query = Query()) async throws(EventStoreError) -> Report {
    guard !paths.isEmpty else {
      throw EventStoreError(code: .invalidArgument, message: "no input given, name files or folders")
    }
    return try await EventStoreError.blocking {
      let source = FileSource(
        paths: paths, app: app, imports: ImportSettings(format: format, mappingFiles: mappingFiles))
      let definitions = DefinitionSources(folders: configuration.definitionPaths)
      return try Report(query, source: .files(source), definitions: definitions, configuration)
    }
  }
}

extension Report {
  /// Computes the reports that a query asks for.
  fileprivate init(
    _ query: Query, source: EventSource, definitions: DefinitionSources, _ configuration: EventStore.Configuration
  ) throws(FunnelError) {
    let reading = try query.reportQuery()
    let selection = try query.selection(for: reading)
    let monitor = NoteCollector()
    let reader = ReportReader(
      source: source, definitions: definitions, flows: query.flows, app: nil, threads: configuration.threadCount,
      memory: MemoryLimit(bytes: configuration.memoryBytesMax), monitor: monitor)
    var response = try reader.response(to: reading, selection)
    try response.explainEmptiness()
    try response.addLogNotes()
    content = response.report
    notes = monitor.notes + (try response.findings())
  }
}
