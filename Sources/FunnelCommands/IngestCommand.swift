import ArgumentParser
import FunnelIngest
import FunnelJourneys
import FunnelLog
import FunnelModel
import FunnelSchemas
import FunnelStorage

/// `funnel ingest`: logs into the store.
struct IngestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ingest",
    abstract: "Append events to the store: files, folders of them, or standard input (-).",
    discussion: """
      Events are NDJSON, plain or gzip. What is not taken goes to the store's dead letters with a reason: 'funnel rejected ls'.
      Taking in the same input again adds nothing.

      EXAMPLE
        funnel ingest logs/
        zcat today.ndjson.gz | funnel ingest - --app cleaner
        funnel ingest logs/ --dry-run
      """)

  @Argument(help: ArgumentHelp("Files, folders (searched for *.ndjson, *.jsonl, *.json, also .gz), or -.", valueName: "input"))
  var inputs: [String]

  @OptionGroup var store: StoreOption

  @Option(help: ArgumentHelp("App of events that name none.", valueName: "app"))
  var app: String?

  @OptionGroup var schemas: SchemaOption
  @OptionGroup var clock: ClockOption
  @OptionGroup var threads: ThreadsOption
  @OptionGroup var lock: LockOption

  @Flag(help: "Do everything but the commit.")
  var dryRun = false

  @Flag(help: "Commit nothing if a single line is bad (exit 65).")
  var strict = false

  @Option(help: ArgumentHelp("Exit 1 if more than this share of lines was rejected: 0.01 or 1%.", valueName: "rate"))
  var maxRejectRate: String?

  @Option(help: ArgumentHelp("text or json (default: text).", valueName: "format"))
  var format: SummaryFormat = .text

  func run() throws {
    let rateMax = try maxRejectRate.map { (text) throws(FunnelError) in try RateOption.rate(text, option: "--max-reject-rate") }
    let app = try AppOption.checked(app)
    let files = try InputFile.files(at: inputs)
    let run = IngestRun(
      storePath: store.path, schemas: schemas, now: try clock.present(), threads: threads.count,
      lockTimeout: try lock.timeout(),
      app: app)
    let progress = ProgressLine(label: "ingesting", files: files)
    let (summary, catalog) = try run.ingest(files, isDryRun: dryRun, isStrict: strict, progress: progress.update)
    progress.finish()
    let report = IngestReport(summary: summary, catalog: catalog, storePath: store.path, isDryRun: dryRun)
    switch format {
    case .text: Console.print(report.text)
    case .json: Console.print(report.json)
    }
    if let rateMax, summary.rejectRate > rateMax {
      Console.complain(
        "too many lines were rejected, \(summary.rejected) of \(summary.lines), more than --max-reject-rate \(maxRejectRate ?? ""),"
          + " see 'funnel rejected ls'")
      throw ExitCode(1)
    }
  }
}

/// How a summary is printed.
enum SummaryFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json
}

/// An ingest into the store at a path, shared by the commands that make one.
struct IngestRun {
  var storePath: String
  var schemas: SchemaOption
  var now: Timestamp
  var threads: Int
  var lockTimeout: TimeSpan
  var app: String?

  /// Takes files into the store, which is made where it is missing; a dry run makes and changes nothing.
  func ingest(
    _ files: [InputFile], isDryRun: Bool, isStrict: Bool, progress: (InputProgress) -> Void
  ) throws -> (IngestSummary, FlowCatalog) {
    let decoding = DecodingOptions(now: now, privacy: BuiltInSchemas.privacy, defaultApp: app)
    let options = Ingestor.Options(decoding: decoding, threads: threads, isDryRun: isDryRun, isStrict: isStrict)
    if isDryRun {
      let exists = StorePlace.exists(storePath)
      let catalog = try schemas.catalog(store: exists ? storePath : nil)
      let store = exists ? try StoreReader.open(storePath) : nil
      let known = IndexedEvents(dryRunAgainst: store, threads: threads)
      let ingestor = Ingestor(dryRunAgainst: store, catalog: catalog, options: options)
      return (try ingestor.ingest(files, knownBy: known, progress: progress), catalog)
    }
    let (writer, catalog) = try openWriter()
    let known = IndexedEvents(into: writer, threads: threads)
    let ingestor = Ingestor(into: writer, catalog: catalog, options: options)
    let summary = try ingestor.ingest(files, knownBy: known, progress: progress)
    if let problem = known.problem { Console.complain("the index was not written, reports read the log meanwhile: \(problem)") }
    return (summary, catalog)
  }

  /// Opens the store for writing, with the flow definitions in force; a new store gets its own copy of them.
  func openWriter() throws(FunnelError) -> (StoreWriter, FlowCatalog) {
    let isNew = !StorePlace.exists(storePath)
    // Definitions that can't be read must not leave an empty store behind.
    let catalog = try schemas.catalog(store: isNew ? nil : storePath)
    var options = StoreWriter.Options()
    options.threads = threads
    let writer = try StoreWriter.open(storePath, lockTimeout: lockTimeout, options: options)
    if let recovery = writer.recovery { Console.complain(recovery) }
    if isNew {
      try writer.putSchemas(
        BuiltInSchemas.flowFiles.map { (name: String($0.name.drop { $0 != "/" }.dropFirst()), bytes: $0.bytes) })
    }
    return (writer, catalog)
  }
}
