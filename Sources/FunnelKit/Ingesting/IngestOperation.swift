import FunnelIndex
package import FunnelDecoding
package import FunnelIngest
package import FunnelModel
import FunnelReports
import FunnelSchemas
package import FunnelStore

/// The form in which a store keeps the subjects of events.
package enum SubjectForm: Hashable, Sendable {
  /// As they are in the input.
  case raw
  /// As pseudonyms, made with the key in a file, or with the key in the store if that is `nil`.
  case pseudonyms(keyFile: String?)

  var isPseudonymizing: Bool { self != .raw }

  var keyFile: String? {
    if case .pseudonyms(let keyFile) = self { keyFile } else { nil }
  }
}

/// Ingests files into the store at a path.
package struct IngestOperation: Sendable {
  /// The result of an ingest.
  package struct Outcome {
    package let summary: IngestSummary
    /// The flow definitions in effect.
    package let catalog: FlowCatalog
    /// The references of the flow definitions that the ingest added to the store.
    package var remembered: [String] = []
  }

  package var storePath: String
  package var definitions: DefinitionSources
  package var now: Timestamp
  package var threads: Int
  package var lockTimeout: TimeSpan
  /// The app of events that do not name one, or `nil` if it is not given.
  package var app: String?
  /// The form of subjects, or `nil` if the operation adds no new events to the store.
  package var subjects: SubjectForm?
  /// The format of the records.
  package var imports: ImportSettings

  package init(
    storePath: String, definitions: DefinitionSources, now: Timestamp, threads: Int, lockTimeout: TimeSpan, app: String?,
    subjects: SubjectForm?, imports: ImportSettings
  ) {
    precondition(threads > 0, "an ingest needs a thread")
    self.storePath = storePath
    self.definitions = definitions
    self.now = now
    self.threads = threads
    self.lockTimeout = lockTimeout
    self.app = app
    self.subjects = subjects
    self.imports = imports
  }

  /// Ingests files into the store, which is created if missing.
  ///
  /// - Parameter isStrict: Whether one rejected line prevents the commit.
  package func ingest(_ files: [InputFile], isStrict: Bool, monitor: some OperationMonitor) throws -> Outcome {
    let (writer, catalog) = try openWriter(monitor: monitor)
    let decoding = try decoding(for: writer)
    let phase = monitor.begin("ingesting", files: files)
    let (summary, indexProblem) = try ingest(
      files, into: writer, catalog, decoding, isStrict: isStrict, progress: phase.update)
    monitor.noteIndexProblem(indexProblem)
    let remembered = try StoreDefinitions.remember(catalog, in: writer)
    if indexProblem == nil, summary.commit != nil {
      let entries = try noteFlows(of: writer.reader, catalog, monitor)
      let trial = IdentityTrial(files: files, options: decoding, catalog: catalog, threads: threads)
      if let note = trial.note(summary.imports, entries: entries) { monitor.note(note) }
    }
    phase.finish()
    return Outcome(summary: summary, catalog: catalog, remembered: remembered)
  }

  /// Ingests files into an open store. Several ingests may follow each other.
  ///
  /// - Parameters:
  ///   - catalog: The flow definitions of ``openWriter(monitor:)``.
  ///   - decoding: The options of ``decoding(for:)``.
  /// - Returns: The summary, and the reason why the index could not be written, or `nil` if it was.
  package func ingest(
    _ files: [InputFile], into writer: StoreWriter, _ catalog: FlowCatalog, _ decoding: DecodingOptions,
    isStrict: Bool = false, progress: (InputProgress) -> Void
  ) throws -> (summary: IngestSummary, indexProblem: String?) {
    let options = Ingestor.Options(decoding: decoding, threads: threads, isStrict: isStrict)
    let known = IndexedEvents(into: writer, threads: threads)
    let summary = try Ingestor(into: writer, catalog: catalog, options: options)
      .ingest(files, knownBy: known, progress: progress)
    return (summary, known.problem)
  }

  /// Returns what an ingest would do. Creates and changes nothing.
  package func preview(_ files: [InputFile], isStrict: Bool, monitor: some OperationMonitor) throws -> Outcome {
    let store = try StoreReader.openIfThere(storePath)
    let catalog = try definitions.catalog(store: store?.path)
    let options = Ingestor.Options(
      decoding: try decoding(dryRunAgainst: store), threads: threads, isDryRun: true, isStrict: isStrict)
    let known = IndexedEvents(dryRunAgainst: store, threads: threads)
    let phase = monitor.begin("ingesting", files: files)
    let summary = try Ingestor(dryRunAgainst: store, catalog: catalog, options: options)
      .ingest(files, knownBy: known, progress: phase.update)
    phase.finish()
    return Outcome(summary: summary, catalog: catalog)
  }

  /// Ingests the rejected lines of the store once more, after a definition or the tool was corrected.
  ///
  /// - Returns: The summary, and the references of the flow definitions that the operation added to the store.
  package func retryRejected(
    monitor: some OperationMonitor
  ) throws -> (summary: DeadLetterRetry.Summary, remembered: [String]) {
    let (writer, catalog) = try openWriter(monitor: monitor)
    let known = IndexedEvents(into: writer, threads: threads)
    let summary = try DeadLetterRetry.run(
      on: writer, catalog: catalog, options: .init(decoding: try decoding(for: writer), threads: threads), knownBy: known)
    let remembered = try StoreDefinitions.remember(catalog, in: writer)
    monitor.noteIndexProblem(known.problem)
    return (summary, remembered)
  }

  /// Notes what reports of the store cannot show. Returns the number of entries of each flow.
  private func noteFlows(
    of store: StoreReader, _ catalog: FlowCatalog, _ monitor: some OperationMonitor
  ) throws(FunnelError) -> [FlowEntries] {
    // This is fast: the index is up to date, so no events are read from the log.
    let query = ReportQuery(now: now)
    let pass = try StorePass.run(over: store, catalog: catalog, query: query, threads: threads) {
      (events) throws(FunnelError) in
      try events.report(query, .entries).entries
    }
    monitor.note(pass.notes(on: pass.result))
    return pass.result
  }

  /// Returns the decoding options for a store, with its forgotten subjects and its pseudonym key. May create the key.
  package func decoding(for writer: StoreWriter) throws(FunnelError) -> DecodingOptions {
    var decoding = DecodingOptions(now: now, privacy: BuiltInSchemas.privacy, defaultApp: app)
    decoding.imports = try imports.plans(store: writer.reader.path)
    decoding.forgotten = try Tombstones(of: writer.reader)
    if let subjects {
      decoding.pseudonyms = try writer.ingestKey(
        pseudonymizing: subjects.isPseudonymizing, keyFile: subjects.keyFile)
    }
    return decoding
  }

  /// Returns the decoding options for a dry run, which creates no key. `nil` means that there is no store yet.
  private func decoding(dryRunAgainst store: StoreReader?) throws(FunnelError) -> DecodingOptions {
    var decoding = DecodingOptions(now: now, privacy: BuiltInSchemas.privacy, defaultApp: app)
    decoding.imports = try imports.plans(store: store?.path)
    let isPseudonymizing = subjects?.isPseudonymizing ?? false
    guard let store else {
      decoding.pseudonyms = isPseudonymizing ? .random() : nil
      return decoding
    }
    decoding.forgotten = try Tombstones(of: store)
    decoding.pseudonyms = try store.ingestKey(pseudonymizing: isPseudonymizing, keyFile: subjects?.keyFile)
    return decoding
  }

  /// Opens the store for writing, with the flow definitions in effect.
  package func openWriter(monitor: some OperationMonitor) throws(FunnelError) -> (StoreWriter, FlowCatalog) {
    let isNew = !StoreReader.isStore(storePath)
    // Definitions and mappings are read first: an invalid one must not leave an empty store.
    let catalog = try definitions.catalog(store: isNew ? nil : storePath)
    _ = try imports.plans(store: isNew ? nil : storePath)
    let writer = try StoreWriter.open(storePath, threads: threads, lockTimeout: lockTimeout, monitor: monitor)
    return (writer, catalog)
  }
}
