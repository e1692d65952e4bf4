import ArgumentParser
import FunnelIngest
import FunnelHistories
import FunnelIndex
import FunnelStore
import FunnelModel
import FunnelReports
import FunnelSchemas
import FunnelSystem

/// The `funnel report` command, which prints funnels, drop-off and grant rates.
struct ReportCommand: ParsableCommand {
  private static let exitStatus = ExitStatus.section(
    .unusableInput, .noInput, .cannotCreate, .inputOutput, .configuration,
    special: [.unusableInput: "every line of the input was refused, or it can't be used"])

  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Print funnels, grant rates and drop-off, from a store or straight from files.",
    discussion: """
      Without a name all three reports are printed. Without INPUT the store is read; with it, files are folded directly.

      Where the log is damaged the report is of what can be read, says so, and the exit code is 74. While the index is whole the \
      log is not read: then it is only checked that its files are all there and long enough. 'funnel log verify' reads every byte.

      EXAMPLE
        funnel report --since 7d
        funnel report grants --flow trendy/onboarding --by ctx.variant
        funnel report funnel logs/ --format csv > funnel.csv
        funnel report funnel --steps app_opened,step:welcome,perm:photos:granted
        funnel report next --after step:welcome

      \(exitStatus)
      """)

  @Argument(
    help: ArgumentHelp("A report (\(ReportSelection.allNames.joined(separator: ", ")); default: funnel, grants, dropoff), then files or folders to read.", valueName: "name|input"),
    completion: Completions.reportsOrFiles)
  var inputs: [String] = []

  @OptionGroup var store: StoreOption
  @OptionGroup var query: QueryOptions
  @OptionGroup var adHoc: AdHocOptions
  @OptionGroup var schemas: SchemaOption
  @OptionGroup var output: OutputOptions
  @OptionGroup var threads: ThreadsOption
  @OptionGroup var memory: MemoryOption

  @Option(help: ArgumentHelp("App of events in INPUT that name none, and of --steps.", valueName: "app"), completion: Completions.apps)
  var app: String?

  func run() throws {
    let (selection, inputs) = selectionAndInputs()
    if !inputs.isEmpty, store.store != nil {
      throw FunnelError(
        .usage,
        "both --store and input files, \(inputs[0].printable), give one of them; the reports are \(ReportSelection.allNames.joined(separator: ", ")), one at a time"
      )
    }
    if app != nil, inputs.isEmpty, !adHoc.namesSteps(for: selection) {
      throw FunnelError(.usage, "--app without input files, events of a store name their app; leave it out")
    }
    let format = try output.reportFormat(selection: selection)
    var question = try query.query()
    try adHoc.apply(to: &question, for: selection)
    var answer =
      inputs.isEmpty
      ? try answerFromStore(question, selection)
      : try answerFromFiles(inputs, question, selection)
    try answer.explainEmptiness()
    let report = answer.report
    try output.write(report, as: format)
    if format != .table { Self.note(report.logContents, after: "nothing matched: ") }
    // A key that seems unknown may occur in the unreadable part of a damaged log.
    if report.damage == nil {
      answer.unknownKeys.tell()
      Self.note(answer.unknownEvents())
    }
    Self.note(try answer.unknownAnswers())
    if let damage = report.damage { throw DamagedLog.error(damage, store: store.path) }
    if let counts = answer.counts, counts.isRefusedWhole {
      throw FunnelError(
        .unusableInput,
        "every line was refused, \(Quantity.count(counts.badCount)) of \(Quantity.count(counts.lines)), mend what is named above"
      )
    }
  }

  private static func note(_ lines: [String], after beginning: String = "") {
    for (index, line) in lines.enumerated() { Console.note("funnel: \(index == 0 ? beginning : "")\(line.printable)") }
  }

  private func selectionAndInputs() -> (ReportSelection, [String]) {
    guard let name = inputs.first, let selection = ReportSelection(name: name) else { return (.standard, inputs) }
    return (selection, Array(inputs.dropFirst()))
  }

  private func answerFromFiles(
    _ inputs: [String], _ question: ReportQuery, _ selection: ReportSelection
  ) throws -> ReportAnswer {
    let known = try ReportFlows(of: question, in: schemas.catalog(), flows: query.flow, app: app)
    var flows = known
    let question = selection.prepared(question, flows: known.definitions)
    let files = try files(at: inputs)
    let options = DecodingOptions(now: question.now, privacy: BuiltInSchemas.privacy, defaultApp: try AppOption.checked(app))
    let progress = ProgressLine(label: "reading", files: files)
    var segments = SegmentTable()
    let (report, counts) = try HistoryTable.withHistories(
      of: .files(files, options: options, threads: threads.count, memoryBytesMax: memory.byteCount()), catalog: known.catalog,
      query: question, flows: known.indices, progress: progress.update
    ) { (table) throws(FunnelError) in
      flows = try known.resolved(by: table.contents)
      // Read after the fold, which may add values that a flow reads differently from how they were logged.
      defer { segments = table.segments }
      return try Report(
        of: table, catalog: flows.catalog, flows: flows.indices, query: question, selection: selection,
        threads: threads.count)
    }
    progress.finish()
    if counts.rejectedCount > 0 { Self.note(refusals(counts, inputs)) }
    let source = KeySource.files(files, options: options, catalog: flows.catalog, threads: threads.count, names: inputs)
    return ReportAnswer(
      report: report, flows: flows, contents: StoreContents(counts.contents), counts: counts,
      unknownKeys: UnknownKeys(question, segments: segments, flows: flows.definitions, source: source))
  }

  /// Returns the number of rejected lines, the first of them, and the command that shows all.
  private func refusals(_ counts: InputCounts, _ inputs: [String]) -> [String] {
    let shown = RefusalReport.lines(counts.firstRefusals.refusals, counts.misshapenFiles)
    let files = inputs.map(CommandHint.quoted).joined(separator: " ")
    return [RejectSummary.sentence(counts)] + shown.map { "  \($0)" }
      + ["  see all with: funnel ingest \(files) --store DIR, then funnel rejected show --store DIR"]
  }

  /// Returns the files to read. If there is no file of a name, the name may be a mistyped report.
  private func files(at inputs: [String]) throws(FunnelError) -> [InputFile] {
    do throws(FunnelError) {
      return try InputFile.files(at: inputs)
    } catch {
      guard error.code == .noInput, let meant = NearestName.find(inputs[0], in: ReportSelection.allNames) else {
        throw error
      }
      throw FunnelError(.noInput, "\(error.message); did you mean 'funnel report \(meant)'?")
    }
  }

  /// The maximum number of attempts. Other commands may replace parts of the log during a report, which is then restarted.
  private static let attemptsMax = 5

  private func answerFromStore(_ question: ReportQuery, _ selection: ReportSelection) throws -> ReportAnswer {
    var attempt = 1
    while true {
      let reader = try StoreReader.openTolerating(store.path)
      do {
        return try answer(from: reader, question, selection)
      } catch let error as FunnelError {
        guard attempt < Self.attemptsMax, try reader.isOutdated() else { throw error }
        attempt += 1
      }
    }
  }

  private func answer(
    from reader: StoreReader, _ question: ReportQuery, _ selection: ReportSelection
  ) throws -> ReportAnswer {
    let known = try ReportFlows(of: question, in: schemas.catalog(store: store.path), flows: query.flow, app: app)
    var flows = known
    let question = selection.prepared(question, flows: known.definitions)
    if let since = question.since, let dropped = reader.lastDroppedDay, since.day <= dropped {
      Console.note(
        "funnel: events up to \(dropped) were dropped by 'funnel retain', see what was counted of them with 'funnel snapshots'")
    }
    let progress = ProgressLine(label: "reading", totalBytes: nil)
    var segments = SegmentTable()
    let folded = try StoreHistories.fold(
      reader, catalog: known.catalog, query: question, flows: known.indices, threads: threads.count, memoryBytesMax: memory.byteCount(),
      progress: progress.update
    ) { (histories) throws(FunnelError) in
      segments = histories.segments
      flows = try known.resolved(by: histories.contents)
      return try Report(
        of: histories, catalog: flows.catalog, flows: flows.indices, query: question, selection: selection,
        threads: threads.count)
    }
    progress.finish()
    var report = folded.result
    report.damage = DamagedLog.damage(of: reader, indexedUpTo: folded.indexedCommit)
    let source = KeySource.store(reader, path: store.path, catalog: flows.catalog, threads: threads.count)
    return ReportAnswer(
      report: report, flows: flows, contents: folded.contents,
      unknownKeys: UnknownKeys(question, segments: segments, flows: flows.definitions, source: source))
  }
}
