package import FunnelDecoding
import FunnelImport
package import FunnelStore
package import FunnelModel

/// Ingests event files into a store: decodes, validates and deduplicates the events, and commits them in batches of bounded
/// size (specification sections 1 and 2).
package struct Ingestor {
  /// The options of an ingest.
  package struct Options: Sendable {
    /// The options of decoding.
    package var decoding: DecodingOptions
    /// The number of threads that decode.
    package var threads: Int
    /// Whether nothing is committed.
    package var isDryRun: Bool
    /// Whether one rejected line prevents every commit.
    package var isStrict: Bool
    /// The number of raw bytes after which the events so far are committed.
    package var commitRawBytesTarget: Int

    /// Creates options.
    package init(
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
  package init(into writer: StoreWriter, catalog: FlowCatalog, options: Options) {
    self.init(store: writer.reader, writer: options.isDryRun ? nil : writer, catalog: catalog, options: options)
  }

  /// Creates a dry run against a store, or against a new store if it is `nil`.
  package init(dryRunAgainst store: StoreReader?, catalog: FlowCatalog, options: Options) {
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
  /// - Throws: `unusableInput` if the ingest is strict and a line was rejected; `noInput` or `inputOutput` if a file can't
  ///   be read or the store can't be written.
  package consuming func ingest(_ files: [InputFile], progress: (InputProgress) -> Void = { _ in }) throws -> IngestSummary {
    try ingest(files, knownBy: ScannedStore(store, threads: options.threads), progress: progress)
  }

  /// Ingests all files and returns the summary.
  ///
  /// - Parameters:
  ///   - known: The events that the store contains.
  ///   - progress: Called after each block.
  /// - Throws: `unusableInput` if the ingest is strict and a line was rejected; `noInput` or `inputOutput` if a file can't
  ///   be read or the store can't be written.
  package consuming func ingest<Known: KnownEvents>(
    _ files: [InputFile], knownBy known: Known, progress: (InputProgress) -> Void
  ) throws -> IngestSummary {
    if options.isStrict { try requireValidLines(in: files, progress: progress) }
    let committer = BatchCommitter(writer, known: known, now: options.decoding.now)
    let pipeline = CommitPipeline(committer, known: known, isSynchronous: options.threads == 1)
    var input = InputTotals()
    do {
      try commitEvents(of: files, through: pipeline, known, counting: &input, progress: progress)
      try pipeline.finish()
    } catch {
      // After a failure too, the next ingest must recognize the events that were committed.
      pipeline.wait()
      try? known.finish()
      throw error
    }
    try known.finish()
    var summary = committer.summary
    summary.add(input.counts, byFile: input.countsByFile)
    summary.inputs = files.count - summary.imports.passedOver.proseCount
    summary.eventsInStore = writer?.reader.eventCount ?? (store?.eventCount ?? 0) + summary.accepted
    return summary
  }

  /// The counts of the lines read so far.
  private struct InputTotals {
    var counts = InputCounts()
    /// The counts of each file, by its path.
    var countsByFile: [[UInt8]: InputCounts] = [:]

    mutating func add(_ block: DecodedBlock) {
      counts.add(block)
      for letter in block.deadLetters { counts.firstRefusals.add(letter) }
      countsByFile[Array(block.file.utf8), default: InputCounts()].add(block)
    }
  }

  /// Decodes all files, and passes their events to the pipeline in batches.
  ///
  /// - Throws: `unusableInput` if the ingest is strict and a line was rejected; the errors of reading and committing.
  private func commitEvents<Known: KnownEvents>(
    of files: [InputFile], through pipeline: CommitPipeline<Known>, _ known: Known, counting input: inout InputTotals,
    progress: (InputProgress) -> Void
  ) throws {
    let isCommittedWhole = isCommittedWhole(files)
    var batch = EventBatch()
    try Self.decode(files, catalog: catalog, options: options, wanting: known.wants) { decoded, fileBytes in
      var block = decoded
      known.record(&block)
      input.add(block)
      batch.append(block)
      progress(InputProgress(events: input.counts.events, bytes: input.counts.bytes, fileBytes: fileBytes))
      if batch.byteCount >= options.commitRawBytesTarget, !isCommittedWhole {
        try pipeline.begin(batch)
        batch = EventBatch()
      }
    }
    if options.isStrict, input.counts.badCount > 0 { throw Self.strictError(input.counts) }
    if !batch.isEmpty { try pipeline.begin(batch) }
  }

  /// Returns whether nothing may be committed before the last line is read.
  private func isCommittedWhole(_ files: [InputFile]) -> Bool {
    // A strict ingest reads its input twice, except for streams, which can only be read once.
    options.isStrict && files.contains { $0.byteCount == nil }
  }

  /// Reads all files and throws if a line is rejected. Does nothing if an input is a stream.
  private func requireValidLines(in files: [InputFile], progress: (InputProgress) -> Void) throws {
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

  /// Returns the error of a strict ingest with rejected lines.
  private static func strictError(_ counts: InputCounts) -> FunnelError {
    FunnelError(
      .unusableInput,
      "\(counts.badCount) bad \(counts.badCount == 1 ? "line" : "lines") of \(counts.lines), nothing was committed because of --strict, ingest without --strict and list them with 'funnel rejected ls'"
    )
  }

  /// Passes the decoded blocks of all files to a closure, in order.
  private static func decode(
    _ files: [InputFile], catalog: FlowCatalog, options: Options, wanting wants: DecodingWants,
    _ consume: (DecodedBlock, _ fileBytes: Int) throws -> Void
  ) throws {
    try InputReader.forEachDecodedBlock(
      of: files, catalog: catalog, options: options.decoding, threads: options.threads, wanting: wants, consume)
  }
}
