import FunnelHistories
import FunnelIndex
import FunnelIngest
import FunnelModel
import FunnelReports
import FunnelSchemas
import FunnelStore

/// What a command counts groups of: the events of a store, or of files.
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
  /// Returns a question to ask about an input that does not exist, if its name resembles something else.
  var meaningOfMissing: (String) -> String? = { _ in nil }

  /// Throws a usage error if options about a store and about files come together.
  ///
  /// - Parameter advice: What to add to the message if a word was taken for a file, as a clause.
  func check(advice: String = "") throws(FunnelError) {
    if !inputs.isEmpty, store.store != nil {
      throw FunnelError(.usage, "both --store and input files, \(inputs[0].printable), give one of them\(advice)")
    }
    if app != nil, inputs.isEmpty {
      throw FunnelError(.usage, "--app without input files, events of a store name their app; leave it out")
    }
  }

  /// Computes the reports of a selection.
  func answer(to question: ReportQuery, _ selection: ReportSelection) throws -> ReportAnswer {
    try answer(to: [question], reading: question, selection)
  }

  /// Computes the reports of a selection for each of several questions, and reads the events only once.
  ///
  /// - Parameters:
  ///   - questions: The questions, at least one. They differ only in their periods.
  ///   - reading: The same question about a period that includes all of theirs.
  func answer(
    to questions: [ReportQuery], reading: ReportQuery, _ selection: ReportSelection
  ) throws -> ReportAnswer {
    let task = Task(questions: questions, reading: reading, selection: selection)
    return inputs.isEmpty ? try answerFromStore(task) : try answerFromFiles(task)
  }

  /// What is to be computed in one pass over the events.
  private struct Task {
    var questions: [ReportQuery]
    var reading: ReportQuery
    let selection: ReportSelection

    /// Returns the task with what the selected reports need of the events of some flows.
    func prepared(for flows: [FlowDefinition]) -> Task {
      Task(
        questions: questions.map { selection.prepared($0, flows: flows) },
        reading: selection.prepared(reading, flows: flows), selection: selection)
    }

    func reports(
      of source: some HistorySource, catalog: FlowCatalog, flows: Set<Int>, threads: Int
    ) throws(FunnelError) -> [Report] {
      var reports: [Report] = []
      for question in questions {
        reports.append(
          try Report(
            of: source, catalog: catalog, flows: flows, query: question, selection: selection, threads: threads))
      }
      return reports
    }
  }
}

// MARK: - Files

extension ReportSource {
  private func answerFromFiles(_ task: Task) throws -> ReportAnswer {
    let catalog = try schemas.catalog()
    let flows = try query.flows(in: catalog)
    let definitions = flows.map { catalog.definitions[$0] }
    let task = task.prepared(for: definitions)
    let files = try files()
    let options = DecodingOptions(
      now: task.reading.now, privacy: BuiltInSchemas.privacy, defaultApp: try AppOption.checked(app))
    let progress = ProgressLine(label: "reading", files: files)
    var segments = SegmentTable()
    let (reports, counts) = try HistoryTable.withHistories(
      of: .files(files, options: options, threads: threads.count, memoryBytesMax: memory.byteCount()), catalog: catalog,
      query: task.reading, flows: flows, progress: progress.update
    ) { (table) throws(FunnelError) in
      // Read after the fold, which may add values that a flow reads differently from how they were logged.
      defer { segments = table.segments }
      return try task.reports(of: table, catalog: catalog, flows: flows, threads: threads.count)
    }
    progress.finish()
    if counts.rejectedCount > 0 { Console.notes(refusals(counts)) }
    let source = KeySource.files(files, options: options, catalog: catalog, threads: threads.count, names: inputs)
    return ReportAnswer(
      reports: reports, query: task.reading, catalog: catalog, flows: flows, contents: StoreContents(counts.contents),
      counts: counts, unknownKeys: UnknownKeys(task.reading, segments: segments, flows: definitions, source: source))
  }

  /// Returns the number of rejected lines, the first of them, and the command that shows all.
  private func refusals(_ counts: InputCounts) -> [String] {
    let shown = RefusalReport.lines(counts.firstRefusals.refusals, counts.misshapenFiles)
    let files = inputs.map(CommandHint.quoted).joined(separator: " ")
    return [RejectSummary.sentence(counts)] + shown.map { "  \($0)" }
      + ["  see all with: funnel ingest \(files) --store DIR, then funnel rejected show --store DIR"]
  }

  /// Returns the files to read. If there is no file of a name, the name may mean something else.
  private func files() throws(FunnelError) -> [InputFile] {
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

  private func answerFromStore(_ task: Task) throws -> ReportAnswer {
    var attempt = 1
    while true {
      let reader = try StoreReader.openTolerating(store.path)
      do {
        return try answer(from: reader, task)
      } catch let error as FunnelError {
        guard attempt < Self.attemptsMax, try reader.isOutdated() else { throw error }
        attempt += 1
      }
    }
  }

  private func answer(from reader: StoreReader, _ task: Task) throws -> ReportAnswer {
    let catalog = try schemas.catalog(store: store.path)
    let flows = try query.flows(in: catalog)
    let definitions = flows.map { catalog.definitions[$0] }
    let task = task.prepared(for: definitions)
    if let since = task.reading.since, let dropped = reader.lastDroppedDay, since.day <= dropped {
      Console.note(
        "funnel: events up to \(dropped) were dropped by 'funnel retain', see what was counted of them with 'funnel snapshots'")
    }
    let progress = ProgressLine(label: "reading", totalBytes: nil)
    var segments = SegmentTable()
    let folded = try StoreHistories.fold(
      reader, catalog: catalog, query: task.reading, flows: flows, threads: threads.count,
      memoryBytesMax: memory.byteCount(), progress: progress.update
    ) { (histories) throws(FunnelError) in
      segments = histories.segments
      return try task.reports(of: histories, catalog: catalog, flows: flows, threads: threads.count)
    }
    progress.finish()
    let damage = DamagedLog.damage(of: reader, indexedUpTo: folded.indexedCommit)
    let reports = folded.result.map { report in
      var report = report
      report.damage = damage
      return report
    }
    let source = KeySource.store(reader, path: store.path, catalog: catalog, threads: threads.count)
    return ReportAnswer(
      reports: reports, query: task.reading, catalog: catalog, flows: flows, contents: folded.contents,
      unknownKeys: UnknownKeys(task.reading, segments: segments, flows: definitions, source: source))
  }
}
