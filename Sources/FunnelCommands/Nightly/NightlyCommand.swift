import ArgumentParser
import FunnelKit
import FunnelModel
import FunnelNightly
import FunnelSystem

/// The `funnel nightly` command: ingests an inbox into the store and writes the reports of the completed days.
struct NightlyCommand: ParsableCommand {
  private static let exitStatus = ExitStatus.section(
    .unusableInput, .noInput, .cannotCreate, .inputOutput, .locked, .configuration,
    threshold: "done, but a threshold was crossed",
    special: [
      .unusableInput: "a file was moved to failed, the others were ingested",
      .noInput: "the inbox does not exist, or a file in it can't be read",
      .configuration: "a flow definition or the key is wrong",
    ])

  static let configuration = CommandConfiguration(
    commandName: "nightly",
    abstract: "Ingest the files in an inbox, then write reports for yesterday, the last 7 days and the last 30 days.",
    discussion: """
      Ingests every *.ndjson, *.json*, *.csv, *.gz and *.zip in the inbox and its folders. Ingested files are moved to INBOX/done, files \
      that can't be read or have no valid event to INBOX/failed. Files whose name begins with . or ends in .tmp, .part, .partial or ~ \
      are skipped as unfinished uploads: upload under such a name, then rename. A file with another name is left for the next run if it \
      was changed less than --settle ago, or if its end is missing and it was changed less than an hour ago. A file that grew after \
      it was ingested is read again.

      The reports yesterday, 7d and 30d are written to OUT/<day>/ and OUT/latest/, each as .json, .md, .html, .funnel.csv, .grants.csv \
      and .dropoff.csv. They cover whole days up to the last midnight in --tz; <day> is the last of these days. OUT/latest/ has the \
      reports of the newest day.

      Then days of the log that ended at least two days ago are compacted ('funnel log compact'). Finally, --retain drops events that \
      are older than their flows allow and keeps snapshots of their numbers, like 'funnel retain' without options; it is skipped if the \
      reports could not be written. It also deletes files that have been in INBOX/done longer than any flow keeps its events.

      The command can be killed and run again at any time: nothing is counted twice. It prints a one-line summary on standard output \
      and problems on standard error. A first run with an empty inbox creates the store and exits 0.

      EXAMPLE
        funnel nightly --inbox /srv/inbox --out /srv/reports --store /srv/store
        funnel nightly --inbox in --out reports --tz Europe/Berlin --min-events 1000

      \(exitStatus)
      """)

  @Option(help: ArgumentHelp("Folder in which logs arrive.", valueName: "dir"), completion: .directory)
  var inbox: String

  @Option(help: ArgumentHelp("Folder for the reports; created if it does not exist.", valueName: "dir"), completion: .directory)
  var out: String

  @OptionGroup var store: StoreOption

  @Option(
    help: ArgumentHelp(
      "Skip files changed less than this long ago, as they may still be being written; 0 reads all files.",
      valueName: "span"))
  var settle = CompletenessCriteria.spanDefault

  @Option(help: ArgumentHelp("Exit 1 if more than this share of lines was rejected: 0.01 or 1%.", valueName: "rate"))
  var maxRejectRate: String?

  @Option(help: ArgumentHelp("Exit 1 if fewer new events than this are added to the store.", valueName: "n"))
  var minEvents: Int?

  @Flag(help: "At the end, drop events that are older than their flows allow ('funnel retain').")
  var retain = false

  @Option(
    help: ArgumentHelp("Write each day's numbers to this SQLite database.", valueName: "file"), completion: .file())
  var database: String?

  @Option(
    help: ArgumentHelp(
      "Save a state of each closed day to this folder; 'funnel merge' makes a report of any period from them.",
      valueName: "dir"),
    completion: .directory)
  var states: String?

  @Option(help: ArgumentHelp("How many days to write to the database, and to count again for --states.", valueName: "n"))
  var days = DatabaseNumbers.dayCountDefault

  @Option(help: ArgumentHelp("Write metrics for node_exporter's textfile collector.", valueName: "file"), completion: .file())
  var metrics: String?

  @Option(
    help: ArgumentHelp("Check the last 7 closed days against the rules of this file.", valueName: "file"), completion: .file())
  var alerts: String?

  @Option(
    help: ArgumentHelp(
      "Command to run if there are alarms or problems; it reads them as JSON from standard input.", valueName: "command")
  )
  var notify: String?

  @Flag(help: "Show what would be done, but change nothing.")
  var dryRun = false

  @OptionGroup var imports: ImportOptions
  @OptionGroup var pseudonyms: PseudonymOptions
  @OptionGroup var schemas: SchemaOption

  @Option(help: ArgumentHelp("App of events that don't name one.", valueName: "app"), completion: Completions.apps)
  var app: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Time zone in which the reports' days begin and end (default: UTC).", valueName: "zone"),
    completion: Completions.timeZones)
  var tz: String?

  @OptionGroup var clock: ClockOption
  @OptionGroup var threads: ThreadsOption
  @OptionGroup var lock: LockOption

  @Option(help: ArgumentHelp("Format of the summary.", valueName: "format"))
  var format: SummaryFormat = .text

  func validate() throws {
    if inbox.isEmpty { throw ValidationError("--inbox is empty; name a folder") }
    if out.isEmpty { throw ValidationError("--out is empty; name a folder") }
    try DatabaseDaysOption.check(days)
    if states?.isEmpty ?? false { throw ValidationError("--states is empty; name a folder") }
    for (name, value) in [("database", database), ("metrics", metrics), ("alerts", alerts)] where value?.isEmpty ?? false {
      throw ValidationError("--\(name) is empty; name a file")
    }
    if let minEvents, minEvents < 0 { throw ValidationError("--min-events \(minEvents): give 0 or more") }
  }

  func run() throws {
    let settings = try settings()
    if dryRun { return Console.print(try NightlyRunPlan(settings).text) }
    if try LocalFileSystem().status(of: StoragePath(out)) == nil {
      // Checked before the folder is created, because a mistyped inbox must not leave an empty folder. If the
      // folder exists, the ingest stage checks the inbox and records the failure in its status.
      try settings.inbox.requireApart(store: settings.storePath, out: out)
    }
    let reports = try NightlyReports(folder: out, monitor: Console.monitor)
    let lock = try NightlyRunLock.take(in: reports.root)
    var run = NightlyRun(settings, reports: reports, monitor: Console.monitor)
    let summary = run.run()
    withExtendedLifetime(lock) {}
    if let summary {
      switch format {
      case .text: Console.print(summary.text)
      case .json: Console.print(summary.json)
      }
    }
    if let code = run.stages.problems.code { throw ExitCode(code.rawValue) }
    if run.isCrossed { throw ExitCode(ExitStatus.thresholdCrossed) }
  }

  /// Returns the threshold of `--max-reject-rate`, or `nil` if it is not given.
  private func rejectRateMax() throws(FunnelError) -> NightlyThresholds.RejectRate? {
    guard let text = maxRejectRate else { return nil }
    return NightlyThresholds.RejectRate(share: try RateOption.rate(text, option: "--max-reject-rate"), text: text)
  }

  /// Returns the settings that the options define.
  private func settings() throws(FunnelError) -> NightlyRunSettings {
    let now = try clock.present()
    let zone = try PeriodOptions.rules(ofZone: tz)
    if database != nil { try DatabaseNumbers.requireDatabase() }
    return NightlyRunSettings(
      inbox: NightlyInbox(inbox), completeness: try CompletenessCriteria(settle, clock: WallClock.now()), out: out,
      ingest: IngestOperation(
        storePath: store.path, definitions: schemas.sources, now: now, threads: threads.count, lockTimeout: try lock.timeout(),
        app: try AppName.checked(app), subjects: pseudonyms.form, imports: imports.settings),
      days: NightlyRunDays(now: now, timeZone: zone),
      thresholds: NightlyThresholds(rejectRateMax: try rejectRateMax(), eventsMin: minEvents), retains: retain,
      database: database, databaseDays: days, states: states, metrics: metrics, alerts: alerts, notify: notify)
  }
}
