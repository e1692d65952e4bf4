import ArgumentParser
import FunnelIngest
import FunnelKit
import FunnelModel

/// The `funnel ingest` command: appends events from files or standard input to the store.
struct IngestCommand: ParsableCommand {
  private static let exitStatus = ExitStatus.section(
    .unusableInput, .noInput, .cannotCreate, .inputOutput, .locked, .configuration,
    threshold: "done, but more lines were rejected than --max-reject-rate allows",
    special: [
      .unusableInput: "every line was rejected (with --strict: any line), or the input can't be used",
      .configuration: "a flow definition or the key is wrong",
    ])

  static let configuration = CommandConfiguration(
    commandName: "ingest",
    abstract: "Append events to the store, from files, folders or standard input (-).",
    discussion: """
      Input is NDJSON, plain, gzip or zip, or an export of another product: Segment, RudderStack, Amplitude, Mixpanel, PostHog, \
      Google Analytics 4, Snowplow, CloudEvents, CSV, or JSON of your own. The format is detected from the first records; --from names it. \
      Rejected lines are kept with the reason; list them with 'funnel rejected ls'.
      Ingesting the same input again adds nothing. An event of a forgotten subject ('funnel forget') is rejected with the reason \
      forgotten, and nothing of it is kept.

      With --pseudonymize each subject is replaced by ps_ and 32 hexadecimal digits, its HMAC-SHA-256 under the store's key, before \
      anything is written. The subject is replaced in all other texts of the event too, and of rejected lines only place and reason are \
      kept. The key is created by the first ingest. Keep a copy: without it, new events can't be matched to the people already in the \
      store. A store is pseudonymized from its first commit on, or never.

      Definitions given with --schemas or $FUNNEL_SCHEMAS are kept in the store, so its reports no longer need these options.

      EXAMPLE
        funnel ingest logs/
        funnel ingest logs/ --pseudonymize --key-file /etc/funnel/key
        zcat today.ndjson.gz | funnel ingest - --app cleaner
        funnel ingest logs/ --dry-run
        funnel ingest todo.ndjson --schemas my-flows
        funnel ingest export.zip --map todo.map.json

      \(exitStatus)
      """)

  @Argument(
    help: ArgumentHelp("Files, folders (searched for *.ndjson, *.json*, *.csv, *.gz, *.zip), or -.", valueName: "input"),
    completion: .file())
  var inputs: [String]

  @OptionGroup var store: StoreOption

  @Option(help: ArgumentHelp("App of events that don't name one.", valueName: "app"), completion: Completions.apps)
  var app: String?

  @OptionGroup var imports: ImportOptions
  @OptionGroup var pseudonyms: PseudonymOptions
  @OptionGroup var schemas: SchemaOption
  @OptionGroup var clock: ClockOption
  @OptionGroup var threads: ThreadsOption
  @OptionGroup var lock: LockOption

  @Flag(help: "Do everything except the commit.")
  var dryRun = false

  @Flag(help: "Commit nothing if any line is rejected (exit 65).")
  var strict = false

  @Option(help: ArgumentHelp("Exit 1 if more than this share of lines was rejected: 0.01 or 1%.", valueName: "rate"))
  var maxRejectRate: String?

  @Option(help: ArgumentHelp("text or json (default: text).", valueName: "format"))
  var format: SummaryFormat = .text

  func run() throws {
    let rateMax = try maxRejectRate.map { (text) throws(FunnelError) in try RateOption.rate(text, option: "--max-reject-rate") }
    let app = try AppName.checked(app)
    let files = try InputFile.files(at: inputs)
    let run = IngestOperation(
      storePath: store.path, definitions: schemas.sources, now: try clock.present(), threads: threads.count,
      lockTimeout: try lock.timeout(), app: app, subjects: pseudonyms.form, imports: imports.settings)
    let outcome =
      dryRun
      ? try run.preview(files, isStrict: strict, monitor: Console.monitor)
      : try run.ingest(files, isStrict: strict, monitor: Console.monitor)
    let summary = outcome.summary
    // The text lists name collisions and unclaimed events. JSON has only their counts, so with JSON they go to
    // standard error.
    let imported = imports.settings.report(summary.imports)
    Console.notes(format == .text ? imported.notesBesideSummary : imported.notes)
    let report = IngestReport(
      summary: summary, catalog: outcome.catalog, storePath: store.path, isDryRun: dryRun, remembered: outcome.remembered)
    switch format {
    case .text: Console.print(report.text)
    case .json:
      Console.notes(report.unclaimedNotes)
      Console.print(report.json)
    }
    if summary.isRefusedWhole {
      if let hint = imported.hint(forRefused: summary.rejectedByReason) { Console.printError(hint) }
      throw report.allRejectedError
    }
    if let rateMax, summary.rejectRate > rateMax {
      Console.printError(
        "too many lines were rejected, \(summary.rejected) of \(summary.lines), more than --max-reject-rate \(maxRejectRate ?? ""),"
          + " see '\(CommandHint.text("rejected ls", store: store.path))'")
      throw ExitCode(ExitStatus.thresholdCrossed)
    }
  }
}

/// The format of a printed summary.
enum SummaryFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json
}
