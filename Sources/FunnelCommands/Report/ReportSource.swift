import FunnelHistories
import FunnelIndex
import FunnelIngest
import FunnelModel
import FunnelReports
import FunnelSchemas
import FunnelStore

/// The source of a report's events: a store or files. Reads them and computes reports.
struct ReportSource {
  /// The files and folders to read. If empty, the store is read.
  let inputs: [String]
  /// The app of events in files that do not name one, and of an ad-hoc flow. `nil` if it is not given.
  let app: String?
  let store: StoreOption
  let schemas: SchemaOption
  let query: QueryOptions
  let threads: ThreadsOption
  let memory: MemoryOption
  /// The options for records in formats of other products.
  let imports: ImportOptions
  /// Returns a suggestion for an input that does not exist, such as `did you mean …?`, or `nil` if no other
  /// word is similar.
  var meaningOfMissing: (String) -> String? = { _ in nil }
  /// Whether `app` is the app of an ad-hoc flow, for which it may also be given with a store.
  var isAppOfSteps = false

  /// The result of one pass over the events, with the findings of that pass.
  struct Reading<Result> {
    let result: Result
    /// The flow versions that the result covers.
    let flows: ReportFlows
    let contents: StoreContents
    /// The counts from reading files, or `nil` for a store.
    let counts: InputCounts?
    /// The gzip members of the log that could not be read, or `nil` if the log is intact.
    let damage: ReportDamage?
    /// The snapshots of days whose events were dropped, or `nil` if they cannot answer the query.
    let snapshots: TrendSnapshots?
    /// The number of subjects that are excluded because the store lists them as internal.
    var internalSubjects = 0
    /// The check for keys, values and steps of the query that do not exist.
    let unknownKeys: UnknownKeys
  }

  /// Throws `usage` if options for a store and options for files are combined.
  ///
  /// - Parameter advice: A clause to append to the error if an argument was probably not meant as a file.
  func check(advice: String = "") throws(FunnelError) {
    if !inputs.isEmpty, store.store != nil {
      throw FunnelError(.usage, "both --store and input files, \(inputs[0].printable), give one of them\(advice)")
    }
    if inputs.isEmpty, let option = imports.given {
      throw FunnelError(.usage, "\(option) is only for input files, a store holds funnel's own events, leave it out")
    }
    if !inputs.isEmpty, let past = query.asOf {
      throw FunnelError(.usage, "--as-of \(past.printable) is only for a store, not for input files, leave it out")
    }
    if app != nil, inputs.isEmpty, !isAppOfSteps {
      throw FunnelError(.usage, "--app is only for input files, events of a store name their app, leave it out")
    }
  }

  /// Computes the reports of a selection for a query.
  func answer(to question: ReportQuery, _ selection: ReportSelection) throws -> ReportResponse {
    try answer(to: { _ in [question] }, reading: question, selection)
  }

  /// Computes the reports of a selection for several queries in one pass over the events.
  ///
  /// - Parameters:
  ///   - questions: Returns the queries for some flow versions, at least one. They may differ from `reading`
  ///     only in their period, in whether windows must be closed, and in an earlier `now`.
  ///   - reading: The query for which the events are read. Its period must include those of all queries.
  func answer(
    to questions: ([FlowDefinition]) -> [ReportQuery], reading: ReportQuery, _ selection: ReportSelection
  ) throws -> ReportResponse {
    let threadCount = threads.count
    let read = try fold(reading, prepared: { selection.prepared($0, flows: $1) }) {
      (source, flows, prepared) throws(FunnelError) -> [Report] in
      let asked = questions(flows.definitions).map { question in
        var question = question
        question.needs = prepared.needs
        return question
      }
      return try Report.reports(
        of: source, catalog: flows.catalog, flows: flows.indices, queries: asked, selection: selection, threads: threadCount)
    }
    let reports = read.result.map { report in
      var report = report
      report.damage = read.damage
      report.internalSubjects = read.internalSubjects
      // In a damaged log, a key that seems unknown may occur in the unreadable part.
      if read.damage == nil { report.keysWithoutValue = read.unknownKeys.keysWithoutValue }
      if let snapshots = read.snapshots { report.complete(with: snapshots, flows: read.flows.definitions) }
      return report
    }
    return ReportResponse(
      reports: reports, query: reading, flows: read.flows, contents: read.contents, counts: read.counts,
      unknownKeys: read.unknownKeys)
  }

  /// Passes the event sequences to a body.
  ///
  /// - Parameters:
  ///   - prepared: Returns the query with the event details that some flows need.
  ///   - body: Aggregates the event sequences. It is called again if the events must be read again.
  func fold<Result>(
    _ reading: ReportQuery, prepared: (ReportQuery, [FlowDefinition]) -> ReportQuery,
    _ body: (any SequenceSource, ReportFlows, ReportQuery) throws(FunnelError) -> Result
  ) throws -> Reading<Result> {
    inputs.isEmpty ? try foldStore(reading, prepared, body) : try foldFiles(reading, prepared, body)
  }
}

// MARK: - Files

extension ReportSource {
  /// Aggregates the events of the files.
  private func foldFiles<Result>(
    _ reading: ReportQuery, _ prepared: (ReportQuery, [FlowDefinition]) -> ReportQuery,
    _ body: (any SequenceSource, ReportFlows, ReportQuery) throws(FunnelError) -> Result
  ) throws -> Reading<Result> {
    let known = try ReportFlows(of: reading, in: schemas.catalog(), flows: query.flow, app: app)
    var flows = known
    let question = prepared(reading, known.definitions)
    let files = try files()
    let options = try decoding(now: question.now)
    let progress = ProgressLine(label: "reading", files: files)
    var segments = SegmentTable()
    let (result, counts) = try SequenceTable.withSequences(
      of: .files(files, options: options, threads: threads.count, memoryBytesMax: memory.byteCount()),
      catalog: known.catalog, query: question, flows: known.indices, progress: progress.update
    ) { (table) throws(FunnelError) in
      flows = try known.resolved(by: table.contents)
      // Taken after the body, which may add values that an upcast translates.
      defer { segments = table.segments }
      return try body(table, flows, question)
    }
    progress.finish()
    Console.notes(imports.report(counts.imports).notes)
    if counts.rejectedCount > 0 { Console.notes(refusals(counts)) }
    let source = KeySource.files(files, options: options, catalog: flows.catalog, threads: threads.count, names: inputs)
    return Reading(
      result: result, flows: flows, contents: StoreContents(counts.contents), counts: counts, damage: nil, snapshots: nil,
      unknownKeys: UnknownKeys(question, segments: segments, flows: flows.definitions, source: source))
  }

  /// Prints a note on other IDs if the records are imported and most subjects never entered the flow
  /// (``IdentityTrial``).
  func tellIdentities(of answer: ReportResponse) throws(FunnelError) {
    guard let counts = answer.counts else { return }
    let trial = IdentityTrial(
      files: try files(), options: try decoding(now: answer.query.now), catalog: answer.flows.catalog, threads: threads.count)
    if let note = trial.note(counts.imports, entries: answer.report.entries) { Console.complain(note) }
  }

  /// Returns the options for decoding the files.
  func decoding(now: Timestamp) throws(FunnelError) -> DecodingOptions {
    var options = DecodingOptions(now: now, privacy: BuiltInSchemas.privacy, defaultApp: try AppOption.checked(app))
    options.imports = try imports.plans()
    return options
  }

  /// Returns lines with the number of rejected lines, the first of them, and the command that shows all.
  private func refusals(_ counts: InputCounts) -> [String] {
    let shown = counts.firstRefusals.refusals.map(RejectionReport.text)
    let files = inputs.map(CommandHint.quoted).joined(separator: " ")
    return [RejectionSummary.sentence(counts)] + shown.map { "  \($0)" }
      + ["  see all with: funnel ingest \(files) --store DIR, then funnel rejected show --store DIR"]
  }

  /// Returns the files to read. If a file does not exist, the error suggests another meaning of its name.
  func files() throws(FunnelError) -> [InputFile] {
    do throws(FunnelError) {
      return try InputFile.files(at: inputs)
    } catch {
      guard error.code == .noInput, let meaning = meaningOfMissing(inputs[0]) else { throw error }
      throw FunnelError(.noInput, "\(error.message); \(meaning)")
    }
  }
}

// MARK: - The store

extension ReportSource {
  /// The largest number of attempts. Another command may replace log files during a report, which is then restarted.
  private static let attemptsMax = 5

  /// Calls a body with a reader of the store. Calls it again if another command changed the store during the read.
  ///
  /// - Parameter past: The state of the log to read, or `nil` for the current one.
  func withStore<Result>(asOf past: LogMoment?, _ body: (StoreReader) throws -> Result) throws -> Result {
    var attempt = 1
    while true {
      let reader = try StoreReader.openTolerating(store.path).at(past)
      do {
        return try body(reader)
      } catch let error as FunnelError {
        guard attempt < Self.attemptsMax, try reader.isOutdated() else { throw error }
        attempt += 1
      }
    }
  }

  /// Aggregates the events of the store.
  private func foldStore<Result>(
    _ reading: ReportQuery, _ prepared: (ReportQuery, [FlowDefinition]) -> ReportQuery,
    _ body: (any SequenceSource, ReportFlows, ReportQuery) throws(FunnelError) -> Result
  ) throws -> Reading<Result> {
    try withStore(asOf: reading.asOf) { reader in try fold(reader, reading, prepared, body) }
  }

  /// Aggregates the events of the store that a reader has opened.
  private func fold<Result>(
    _ reader: StoreReader, _ reading: ReportQuery, _ prepared: (ReportQuery, [FlowDefinition]) -> ReportQuery,
    _ body: (any SequenceSource, ReportFlows, ReportQuery) throws(FunnelError) -> Result
  ) throws -> Reading<Result> {
    let known = try ReportFlows(of: reading, in: schemas.catalog(store: store.path), flows: query.flow, app: app)
    var flows = known
    let question = prepared(reading, known.definitions)
    if let since = question.since, let dropped = reader.lastDroppedDay, since.day <= dropped {
      Console.note(
        "funnel: events up to \(dropped) were dropped by 'funnel retain', see the numbers of these days with 'funnel snapshots'"
      )
    }
    let progress = ProgressLine(label: "reading", totalBytes: nil)
    var segments = SegmentTable()
    let folded = try StoreSequences.fold(
      reader, catalog: known.catalog, query: question, flows: known.indices, threads: threads.count,
      memoryBytesMax: memory.byteCount(), progress: progress.update
    ) { (sequences) throws(FunnelError) in
      segments = sequences.segments
      flows = try known.resolved(by: sequences.contents)
      return try body(sequences, flows, question)
    }
    progress.finish()
    let source = KeySource.store(reader, path: store.path, catalog: flows.catalog, threads: threads.count)
    return Reading(
      result: folded.result, flows: flows, contents: folded.contents, counts: nil,
      damage: DamagedLog.damage(of: reader, indexedUpTo: folded.indexedCommit),
      snapshots: TrendSnapshots.answer(reading) ? try snapshots(of: reader) : nil,
      internalSubjects: folded.internalSubjects,
      unknownKeys: UnknownKeys(question, segments: segments, flows: flows.definitions, source: source))
  }

  /// Returns the snapshots of the days whose events were dropped.
  private func snapshots(of reader: StoreReader) throws(FunnelError) -> TrendSnapshots {
    var snapshots = TrendSnapshots()
    for member in try reader.members(of: .snapshots) {
      for line in try reader.read(member).split(separator: UInt8(ascii: "\n")) { try snapshots.add(Array(line)) }
    }
    return snapshots
  }
}

extension StoreReader {
  /// Returns the number of the commit that a moment denotes.
  ///
  /// - Throws: `noInput` if there is no such commit.
  func commit(of moment: LogMoment) throws(FunnelError) -> Int {
    switch moment {
    case .time(let time): return lastCommit(at: time)
    case .commit(let number):
      guard number <= commits.count else {
        throw FunnelError(
          .noInput, "no such commit, \(number), \(path.printable) has commits up to \(commits.count), see 'funnel log commits'")
      }
      return number
    }
  }

  /// Returns a reader of the log as of a moment, or this reader if the moment is `nil`.
  func at(_ moment: LogMoment?) throws(FunnelError) -> StoreReader {
    guard let moment else { return self }
    return asOf(commit: try commit(of: moment))
  }
}
