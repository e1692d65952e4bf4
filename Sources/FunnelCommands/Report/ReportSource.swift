import FunnelHistories
import FunnelIndex
import FunnelIngest
import FunnelModel
import FunnelReports
import FunnelSchemas
import FunnelStore

/// The events that a command counts groups of: those of a store, or of files.
struct ReportSource {
  /// The files and folders to read; if there are none, the store is read.
  let inputs: [String]
  /// The app of events in files that name none.
  let app: String?
  let store: StoreOption
  let schemas: SchemaOption
  let query: QueryOptions
  let threads: ThreadsOption
  let memory: MemoryOption
  /// How the records of files are read.
  let imports: ImportOptions
  /// Returns a question to ask about an input that does not exist, if its name resembles something else.
  var meaningOfMissing: (String) -> String? = { _ in nil }
  /// Whether the app is that of an ad-hoc flow, which a store needs too.
  var isAppOfSteps = false

  /// The result of reading the events once, and what reading them found besides.
  struct Reading<Result> {
    let result: Result
    /// The flow versions that the result is about.
    let flows: ReportFlows
    let contents: StoreContents
    /// The counts from reading files; nil for a store.
    let counts: InputCounts?
    /// The parts of the log that could not be read.
    let damage: ReportDamage?
    /// The snapshots of days whose events were dropped; nil if they do not answer the query.
    let snapshots: TrendSnapshots?
    /// The number of subjects that are left out because the store lists them as internal.
    var internalSubjects = 0
    /// The requested keys, values and steps that may not exist.
    let unknownKeys: UnknownKeys
  }

  /// Throws a usage error if options about a store and about files come together.
  ///
  /// - Parameter advice: What to add to the message if a word was taken for a file, as a clause.
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

  /// Computes the reports of a selection.
  func answer(to question: ReportQuery, _ selection: ReportSelection) throws -> ReportResponse {
    try answer(to: { _ in [question] }, reading: question, selection)
  }

  /// Computes the reports of a selection for each of several questions, and reads the events only once.
  ///
  /// - Parameters:
  ///   - questions: Returns the questions about some flow versions, at least one. They differ from `reading` only in their period, in whether
  ///     windows must be closed, and in an earlier present.
  ///   - reading: The same question about a period that includes all of theirs.
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
      // A key that no readable event has may be in the part that can't be read.
      if read.damage == nil { report.keysWithoutValue = read.unknownKeys.keysWithoutValue }
      if let snapshots = read.snapshots { report.complete(with: snapshots, flows: read.flows.definitions) }
      return report
    }
    return ReportResponse(
      reports: reports, query: reading, flows: read.flows, contents: read.contents, counts: read.counts,
      unknownKeys: read.unknownKeys)
  }

  /// Reads the events once.
  ///
  /// - Parameters:
  ///   - prepared: Returns the query with what is needed of the events of some flows.
  ///   - body: Folds the histories. It is called again if the events have to be read again.
  func fold<Result>(
    _ reading: ReportQuery, prepared: (ReportQuery, [FlowDefinition]) -> ReportQuery,
    _ body: (any SequenceSource, ReportFlows, ReportQuery) throws(FunnelError) -> Result
  ) throws -> Reading<Result> {
    inputs.isEmpty ? try foldStore(reading, prepared, body) : try foldFiles(reading, prepared, body)
  }
}

// MARK: - Files

extension ReportSource {
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
      // Read after the fold, which may add values that a flow reads differently from how they were logged.
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

  /// Tells how many would enter by other ids, if the records are another product's and most never entered.
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

  /// Returns the number of rejected lines, the first of them, and the command that shows all.
  private func refusals(_ counts: InputCounts) -> [String] {
    let shown = counts.firstRefusals.refusals.map(RejectionReport.text)
    let files = inputs.map(CommandHint.quoted).joined(separator: " ")
    return [RejectionSummary.sentence(counts)] + shown.map { "  \($0)" }
      + ["  see all with: funnel ingest \(files) --store DIR, then funnel rejected show --store DIR"]
  }

  /// Returns the files to read. If there is no file of a name, the name may mean something else.
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
  /// The maximum number of attempts. Other commands may replace parts of the log during a report, which is then restarted.
  private static let attemptsMax = 5

  /// Calls `body` with a reader of the store, and again if the store was changed so that it could not be read.
  ///
  /// - Parameter past: The state of the log to be read; nil for the present one.
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

  private func foldStore<Result>(
    _ reading: ReportQuery, _ prepared: (ReportQuery, [FlowDefinition]) -> ReportQuery,
    _ body: (any SequenceSource, ReportFlows, ReportQuery) throws(FunnelError) -> Result
  ) throws -> Reading<Result> {
    try withStore(asOf: reading.asOf) { reader in try fold(reader, reading, prepared, body) }
  }

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

  /// Returns what the store knows of days whose events were dropped.
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

  /// Returns a reader of the log as it stood at a moment, or this one if none is given.
  func at(_ moment: LogMoment?) throws(FunnelError) -> StoreReader {
    guard let moment else { return self }
    return asOf(commit: try commit(of: moment))
  }
}
