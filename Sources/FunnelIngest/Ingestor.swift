public import FunnelLog
public import FunnelModel

/// Takes raw input into a store: decoded, validated, deduplicated, and committed in steps of bounded size (contract sections 1 and 2).
public struct Ingestor {
  /// How to ingest.
  public struct Options: Sendable {
    public var decoding: DecodingOptions
    /// How many blocks are decoded at once.
    public var threads: Int
    /// Everything but the commit.
    public var isDryRun: Bool
    /// One bad line, and nothing is committed.
    public var isStrict: Bool
    /// Raw bytes after which what was read is committed.
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
  private var summary = IngestSummary()
  private var batch = EventBatch()
  /// What this run has taken so far; the store itself is asked as it was when the run began.
  private var takenByRun: Set<Hash128> = []
  private var knownDeadLetters: Set<Hash128>?

  /// An ingest into a store.
  public init(into writer: StoreWriter, catalog: FlowCatalog, options: Options) {
    self.init(store: writer.reader, writer: options.isDryRun ? nil : writer, catalog: catalog, options: options)
  }

  /// An ingest that only says what it would do to a store, or to a new one.
  public init(dryRunAgainst store: StoreReader?, catalog: FlowCatalog, options: Options) {
    self.init(store: store, writer: nil, catalog: catalog, options: options)
  }

  private init(store: StoreReader?, writer: StoreWriter?, catalog: FlowCatalog, options: Options) {
    self.store = store
    self.writer = writer
    self.catalog = catalog
    self.options = options
  }

  /// Takes in all files, and says what came of it.
  ///
  /// - Throws: `unusableInput` where strictness is asked for and a line was refused; `noInput` or `inputOutput` where a file can't be read
  ///   or the store can't be written.
  public consuming func ingest(_ files: [InputFile], progress: (InputProgress) -> Void = { _ in }) throws -> IngestSummary {
    if options.isStrict { try refuseBadLines(in: files, progress: progress) }
    summary.inputs = files.count
    var counts = InputCounts()
    try Self.decode(files, catalog: catalog, options: options) { block, fileBytes in
      counts.add(block)
      summary.countsByFile[block.file, default: InputCounts()].add(block)
      batch.append(block)
      progress(InputProgress(events: counts.events, bytes: counts.bytes, fileBytes: fileBytes))
      if batch.byteCount >= options.commitRawBytesTarget, !isCommittedWhole(files) { try commitBatch() }
    }
    summary.lines = counts.lines
    summary.rejected = counts.rejectedCount
    summary.rejectedByReason = counts.rejected
    if options.isStrict, counts.rejectedCount > 0 { throw Self.strictError(counts) }
    try commitBatch()
    summary.eventsInStore = writer?.reader.eventCount ?? (store?.eventCount ?? 0) + summary.accepted
    return summary
  }

  /// Strictness over a stream, which can't be read twice, allows no commit before the last line.
  private func isCommittedWhole(_ files: [InputFile]) -> Bool {
    options.isStrict && files.contains { $0.byteCount == nil }
  }

  private func refuseBadLines(in files: [InputFile], progress: (InputProgress) -> Void) throws {
    guard !isCommittedWhole(files) else { return }
    var counts = InputCounts()
    try Self.decode(files, catalog: catalog, options: options) { block, fileBytes in
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
      "\(counts.rejectedCount) bad \(counts.rejectedCount == 1 ? "line" : "lines") of \(counts.lines), nothing was committed because of --strict, see them with 'funnel rejected ls' after an ingest without it"
    )
  }

  private static func decode(
    _ files: [InputFile], catalog: FlowCatalog, options: Options,
    _ consume: (DecodedBlock<NoEventSink>, _ fileBytes: Int) throws -> Void
  ) throws {
    try InputReader.forEachDecodedBlock(
      of: files, catalog: catalog, options: options.decoding, threads: options.threads, sink: NoEventSink(), consume)
  }

  private mutating func commitBatch() throws {
    guard !batch.isEmpty else { return }
    let full = batch
    batch = EventBatch()
    let candidates = full.identities
    var known = candidates.intersection(takenByRun)
    if let store { known.formUnion(try StoredEvents.known(among: candidates, in: store, threads: options.threads)) }
    takenByRun.formUnion(candidates)
    var commit = CommitBatch(kind: "ingest", at: options.decoding.now)
    commit.events = full.records(without: known, counting: &summary)
    guard let writer else { return }
    commit.deadLetters = try newDeadLetters(full.deadLetters, in: writer.reader)
    guard !commit.isEmpty else { return }
    summary.commit = try writer.commit(commit).number
  }

  /// The dead letters the store does not hold yet: reading the same bad file again adds nothing.
  private mutating func newDeadLetters(_ letters: [DeadLetter], in store: StoreReader) throws -> [CivilDate: RecordBatch] {
    guard !letters.isEmpty else { return [:] }
    let known = try knownDeadLetters ?? DeadLetterBox.identities(in: store)
    var all = known
    var records = RecordBatch()
    let now = options.decoding.now
    for letter in letters where all.insert(letter.identity).inserted {
      var line: [UInt8] = []
      letter.appendJSON(at: now, to: &line)
      records.append(line.dropLast(), timestamp: now)
    }
    knownDeadLetters = all
    return records.isEmpty ? [:] : [now.day: records]
  }
}
