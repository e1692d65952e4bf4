import FunnelHistories
import FunnelIndex
import FunnelIngest
import FunnelReports
import FunnelStore
import FunnelModel
import FunnelSchemas

/// Ingests files into the store at a path. Shared by the commands that ingest.
struct IngestOperation {
  var storePath: String
  var schemas: SchemaOption
  var now: Timestamp
  var threads: Int
  var lockTimeout: TimeSpan
  /// The app of events that do not name one, or `nil` if it is not given.
  var app: String?
  /// The pseudonym options, or `nil` if the command adds no new events to the store.
  var pseudonyms: PseudonymOptions?
  /// The options for records in formats of other products.
  var imports: ImportOptions

  /// Ingests files into the store, which is created if missing. A dry run creates and changes nothing.
  ///
  /// - Returns: The summary, the catalog, and the references of the flow definitions that this ingest added to the store.
  func ingest(
    _ files: [InputFile], isDryRun: Bool, isStrict: Bool, progress: (InputProgress) -> Void
  ) throws -> (IngestSummary, FlowCatalog, remembered: [String]) {
    if isDryRun {
      let store = try StoreReader.openIfThere(storePath)
      let catalog = try schemas.catalog(store: store?.path)
      let options = Ingestor.Options(
        decoding: try decoding(dryRunAgainst: store), threads: threads, isDryRun: true, isStrict: isStrict)
      let known = IndexedEvents(dryRunAgainst: store, threads: threads)
      let ingestor = Ingestor(dryRunAgainst: store, catalog: catalog, options: options)
      return (try ingestor.ingest(files, knownBy: known, progress: progress), catalog, [])
    }
    let (writer, catalog) = try openWriter()
    let options = Ingestor.Options(decoding: try decoding(for: writer), threads: threads, isStrict: isStrict)
    let known = IndexedEvents(into: writer, threads: threads)
    let ingestor = Ingestor(into: writer, catalog: catalog, options: options)
    let summary = try ingestor.ingest(files, knownBy: known, progress: progress)
    if let problem = known.problem {
      Console.complain("the index was not written, reports will read the log instead: \(problem)")
    }
    let remembered = try StoreDefinitions.remember(catalog, in: writer)
    if known.problem == nil, summary.commit != nil {
      let entries = try printFlowNotes(of: writer.reader, catalog)
      let trial = IdentityTrial(files: files, options: options.decoding, catalog: catalog, threads: threads)
      if let note = trial.note(summary.imports, entries: entries) { Console.complain(note) }
    }
    return (summary, catalog, remembered)
  }

  /// Prints notes on what reports of the store cannot show. Returns the number of entries of each flow.
  private func printFlowNotes(of store: StoreReader, _ catalog: FlowCatalog) throws(FunnelError) -> [FlowEntries] {
    // This is fast: the index is up to date, so no events are read from the log.
    let flows = Set(catalog.definitions.indices)
    let query = ReportQuery(now: now)
    let folded = try StoreSequences.fold(store, catalog: catalog, query: query, flows: flows, threads: threads) {
      (sequences) throws(FunnelError) in
      try Report(of: sequences, catalog: catalog, flows: flows, query: query, selection: .entries, threads: threads)
    }
    Console.notes(FlowNotes(entries: folded.result.entries, contents: folded.contents, catalog: catalog).lines)
    return folded.result.entries
  }

  /// Returns the decoding options for a store, with its forgotten subjects and its pseudonym key. May create the key.
  func decoding(for writer: StoreWriter) throws(FunnelError) -> DecodingOptions {
    var decoding = DecodingOptions(now: now, privacy: BuiltInSchemas.privacy, defaultApp: app)
    decoding.imports = try imports.plans(store: writer.reader.path)
    decoding.forgotten = try Tombstones(of: writer.reader)
    if let pseudonyms {
      decoding.pseudonyms = try writer.ingestKey(
        pseudonymizing: pseudonyms.pseudonymize, keyFile: pseudonyms.key.keyFile)
    }
    return decoding
  }

  /// Returns the decoding options for a dry run, which creates no key. `nil` means that there is no store yet.
  private func decoding(dryRunAgainst store: StoreReader?) throws(FunnelError) -> DecodingOptions {
    var decoding = DecodingOptions(now: now, privacy: BuiltInSchemas.privacy, defaultApp: app)
    decoding.imports = try imports.plans(store: store?.path)
    let isPseudonymizing = pseudonyms?.pseudonymize ?? false
    guard let store else {
      decoding.pseudonyms = isPseudonymizing ? .random() : nil
      return decoding
    }
    decoding.forgotten = try Tombstones(of: store)
    decoding.pseudonyms = try store.ingestKey(pseudonymizing: isPseudonymizing, keyFile: pseudonyms?.key.keyFile)
    return decoding
  }

  /// Opens the store for writing, with the flow definitions in effect.
  func openWriter() throws(FunnelError) -> (StoreWriter, FlowCatalog) {
    let isNew = !StoreReader.isStore(storePath)
    // Definitions and mappings are read first: an invalid one must not leave an empty store.
    let catalog = try schemas.catalog(store: isNew ? nil : storePath)
    _ = try imports.plans(store: isNew ? nil : storePath)
    return (try StoreWriter.open(storePath, threads: threads, lockTimeout: lockTimeout), catalog)
  }
}
