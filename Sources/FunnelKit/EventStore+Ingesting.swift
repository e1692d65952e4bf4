internal import FunnelIngest
internal import FunnelModel

extension EventStore {
  /// Appends the events of files and folders to the store.
  ///
  ///     let result = try await store.ingest(files: ["logs/", "today.ndjson.gz"])
  ///     print(result.accepted, "new events")
  ///
  /// Files are NDJSON, CSV or exports of other products, plain, gzip or zip. Ingesting the same events again adds nothing. The
  /// files are read in blocks, so they may be larger than the memory.
  ///
  /// - Throws: ``EventStoreError`` (`noInput`) if a file can't be read, (`unusableInput`) if the ingest is strict and a line was
  ///   rejected, (`locked`) if another process did not stop writing in time.
  @discardableResult
  public func ingest(
    files paths: [String], options: IngestOptions = IngestOptions()
  ) async throws(EventStoreError) -> IngestResult {
    try await EventStoreError.blocking {
      let files = try InputFile.files(at: paths)
      let monitor = NoteCollector()
      let outcome = try operation(options).ingest(files, isStrict: options.isStrict, monitor: monitor)
      return IngestResult(outcome, notes: monitor.notes)
    }
  }

  /// Appends the events of NDJSON lines to the store.
  ///
  ///     try await store.ingest(lines: [#"{"name":"app_opened","ts":"2026-11-20T10:00:00Z","subject":"a","app":"todo"}"#])
  ///
  /// The lines are first written to a temporary file, so their number is limited only by the disk.
  ///
  /// - Throws: ``EventStoreError`` (`cannotCreate`) if the temporary file can't be written, and the errors of
  ///   ``ingest(files:options:)``.
  @discardableResult
  public func ingest<Lines: AsyncSequence & Sendable>(
    lines: Lines, options: IngestOptions = IngestOptions()
  ) async throws -> IngestResult where Lines.Element == String {
    let file = try LineFile()
    defer { file.remove() }
    for try await line in lines { try file.append(line) }
    return try await ingest(file, options)
  }

  /// Appends the events of NDJSON lines to the store.
  ///
  /// - Throws: ``EventStoreError``, as ``ingest(files:options:)``.
  @discardableResult
  public func ingest(
    lines: some Sequence<String>, options: IngestOptions = IngestOptions()
  ) async throws(EventStoreError) -> IngestResult {
    let file = try LineFile()
    defer { file.remove() }
    for line in lines { try file.append(line) }
    return try await ingest(file, options)
  }

  private func ingest(_ file: LineFile, _ options: IngestOptions) async throws(EventStoreError) -> IngestResult {
    try file.flush()
    return try await ingest(files: [file.path], options: options)
  }

  private func operation(_ options: IngestOptions) throws(FunnelError) -> IngestOperation {
    let subjects: SubjectForm =
      switch options.subjects {
      case .raw: .raw
      case .pseudonyms(let keyFile): .pseudonyms(keyFile: keyFile)
      }
    return IngestOperation(
      storePath: path, definitions: definitions, now: options.now.map(Timestamp.init) ?? WallClock.now(),
      threads: configuration.threadCount, lockTimeout: lockTimeout, app: try AppName.checked(options.app, option: "app"),
      subjects: subjects, imports: ImportSettings(format: options.format?.rawValue, mappingFiles: options.mappingFiles))
  }
}
