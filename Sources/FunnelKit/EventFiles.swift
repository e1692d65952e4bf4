/// Files of events, on which reports can be computed without a store.
///
///     let report = try await EventFiles(["logs/"]).report(Query(flows: ["cleaner/permissions_flow"]))
///
/// The files are read in blocks by all threads, and their events validated and deduplicated as in an ingest. They may be larger than
/// the memory.
public struct EventFiles: Sendable {
  /// The paths of files and folders. Never empty.
  public let paths: [String]
  /// The app of events that do not name one.
  public var app: String?
  /// The format of the records, or `nil` to detect it from the first records of each input.
  public var format: RecordFormat?
  /// The files that map another product's records to events, or built-in mappings such as `builtin:umami`.
  public var mappingFiles: [String] = []
  /// The settings of reports.
  public var configuration = EventStore.Configuration()

  /// Names files and folders. Reads nothing.
  ///
  /// - Throws: ``EventStoreError`` (`invalidArgument`) if no path is given.
  public init(_ paths: [String]) throws(EventStoreError) {
    guard !paths.isEmpty else {
      throw EventStoreError(code: .invalidArgument, message: "no input given, name files or folders")
    }
    self.paths = paths
  }

  /// Computes the reports that a query asks for, in one pass over the files.
  ///
  /// - Throws: ``EventStoreError`` (`noInput`) if a file can't be read, and as ``EventStore/report(_:)``.
  public func report(_ query: Query = Query()) async throws(EventStoreError) -> Report {
    try await EventStoreError.blocking {
      let imports = ImportSettings(format: format?.rawValue, mappingFiles: mappingFiles)
      let source = FileSource(paths: paths, app: app, imports: imports)
      let definitions = DefinitionSources(folders: configuration.definitionPaths)
      return try Report(query, source: .files(source), definitions: definitions, configuration)
    }
  }
}
