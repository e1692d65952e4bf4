public import FunnelStore
public import FunnelModel

/// Ingests raw input into a store: decoded, validated, deduplicated, and committed in steps of bounded size (specification sections 1 and
/// 2).
public struct Ingestor {
  /// The options of an ingest.
  public struct Options: Sendable {
    public var decoding: DecodingOptions
    /// The number of blocks that are decoded at once.
    public var threads: Int
    /// Whether everything but the commit is done.
    public var isDryRun: Bool
    /// Whether one bad line prevents every commit.
    public var isStrict: Bool
    /// The number of raw bytes after which the events read so far are committed.
    public var commitRawBytesTarget: Int

    public init(
      decoding: DecodingOptions, threads: Int = 1, isDryRun: Bool = false, isStrict: Bool = false,
      commitRawBytesTarget: Int = Limits.commitRawBytesTarget
    ) {
      self.decoding = decoding
      self.threads = threads
      self.isDryRun = isDryRun
      self.isStrict = isStrict
      self.commitRawBytesTarget = commitRawBytesTarget
    }
  }

  private let catalog: FlowCatalog
  private let options: Options
  private let store: StoreReader?
  private let writer: StoreWriter?

  /// Creates an ingest into a store.
  public init(into writer: StoreWriter, catalog: FlowCatalog, options: Options) {
    self.init(store: writer.reader, writer: options.isDryRun ? nil : writer, catalog: catalog, options: options)
  }

  /// Creates an ingest that only reports what it would do to a store, or to a new one.
  public init(dryRunAgainst store: StoreReader?, catalog: FlowCatalog, options: Options) {
    self.init(store: store, writer: nil, catalog: catalog, options: options)
  }

  private init(store: StoreReader?, writer: StoreWriter?, catalog: FlowCatalog, options: Options) {
    self.store = store
    self.writer = writer
    self.catalog = catalog
    self.options = options
  }

  /// Ingests all files and returns the summary.
  ///
  /// - Throws: `unusableInput` if the ingest is strict and a line was rejected; `noInput` or `inputOutput` if a file can't be read or the
  ///   store can't be written.
  public consuming func ingest(_ files: [InputFile], progress: (InputProgress) -> Void = { _ in }) throws -> IngestSummary {
    try ingest(files, knownBy: ScannedStore(store, threads: options.threads), progress: progress)
  }

  /// Ingests all files and returns the summary.
  ///
  /// - Parameter known: The events the store holds.
  /// - Throws: `unusableInput` if the ingest is strict and a line was rejected; `noInput` or `inputOutput` if a file can't be read or the
  ///   store can't be written.
  package consuming func ingest<Known: KnownEvents>(
    _ files: [InputFile], knownBy known: Known, progress: (InputProgress) -> Void
  ) throws -> IngestSummary {
    if options.isStrict { try refuseBadLines(in: files, progress: progress) }
    let committer = BatchCommitter(writer, known: known, now: options.decoding.now)
    // While a batch is compressed and flushed, the next one is sorted, and one more is decoded.
    let commits = WorkBehind(isInFront: options.threads == 1)
    let preparations = WorkBehind(isInFront: options.threads == 1)
    defer {
      preparations.wait()
      commits.wait()
    }
    func commit(_ batch: EventBatch) throws {
      let recording = known.takeRecording()
      try preparations.begin {
        let prepared = try committer.prepare(batch, recording)
        try commits.begin { try committer.commit(prepared) }
      }
    }
    // This is done even if the ingest fails: the commits that were made must be known next time.
    var isFinished = false
    defer {
      if !isFinished {
        preparations.wait()
        commits.wait()
        try? known.finish()
      }
    }
    var batch = EventBatch()
    var counts = InputCounts()
    var countsByFile: [[UInt8]: InputCounts] = [:]
    try Self.decode(files, catalog: catalog, options: options, wanting: known.wants) { decoded, fileBytes in
      var block = decoded
      known.record(&block)
      counts.add(block)
      for letter in block.deadLetters { counts.firstRefusals.add(letter) }
      countsByFile[Array(block.file.utf8), default: InputCounts()].add(block)
      batch.append(block)
      progress(InputProgress(events: counts.events, bytes: counts.bytes, fileBytes: fileBytes))
      if batch.byteCount >= options.commitRawBytesTarget, !isCommittedWhole(files) {
        try commit(batch)
        batch = EventBatch()
      }
    }
    if options.isStrict, counts.badCount > 0 { throw Self.strictError(counts) }
    if !batch.isEmpty { try commit(batch) }
    batch = EventBatch()
    try preparations.finish()
    try commits.finish()
    isFinished = true
    try known.finish()
    var summary = committer.summary
    summary.inputs = files.count
    summary.add(counts, byFile: countsByFile)
    summary.eventsInStore = writer?.reader.eventCount ?? (store?.eventCount ?? 0) + summary.accepted
    return summary
  }

  /// Returns whether no commit may be made before the last line: a strict ingest can't read a stream twice.
  private func isCommittedWhole(_ files: [InputFile]) -> Bool {
    options.isStrict && files.contains { $0.byteCount == nil }
  }

  private func refuseBadLines(in files: [InputFile], progress: (InputProgress) -> Void) throws {
    guard !isCommittedWhole(files) else { return }
    var counts = InputCounts()
    try Self.decode(files, catalog: catalog, options: options, wanting: DecodingWants(records: false)) { block, fileBytes in
      counts.add(block)
      progress(InputProgress(events: counts.events, bytes: counts.bytes, fileBytes: fileBytes))
      if let letter = block.deadLetters.first {
        throw FunnelError(
          .unusableInput,
          "a bad line, \(letter.file.printable) line \(letter.line): \(letter.reason.rawValue), \(letter.message.printable);"
            + " nothing was committed because of --strict")
      }
    }
  }

  private static func strictError(_ counts: InputCounts) -> FunnelError {
    FunnelError(
      .unusableInput,
      "\(counts.badCount) bad \(counts.badCount == 1 ? "line" : "lines") of \(counts.lines), nothing was committed because of --strict, ingest without --strict and list them with 'funnel rejected ls'"
    )
  }

  private static func decode(
    _ files: [InputFile], catalog: FlowCatalog, options: Options, wanting wants: DecodingWants,
    _ consume: (DecodedBlock, _ fileBytes: Int) throws -> Void
  ) throws {
    try InputReader.forEachDecodedBlock(
      of: files, catalog: catalog, options: options.decoding, threads: options.threads, wanting: wants, consume)
  }
}
