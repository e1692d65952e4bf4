import ArgumentParser
import FunnelIngest
import FunnelStore
import FunnelMaintenance
import FunnelModel
import FunnelReports
import FunnelSchemas
import FunnelSystem

/// The `funnel nightly` command, which ingests an inbox into the store and writes the reports of the completed days.
struct NightlyCommand: ParsableCommand {
  private static let exitStatus = ExitStatus.section(
    .unusableInput, .noInput, .cannotCreate, .inputOutput, .locked, .configuration,
    threshold: "done, but a threshold was crossed",
    special: [
      .unusableInput: "a file went to failed, the others were taken",
      .noInput: "there is no inbox, or a file of it can't be read",
      .configuration: "a flow definition or the key is wrong",
    ])

  static let configuration = CommandConfiguration(
    commandName: "nightly",
    abstract: "Ingest the files of an inbox, then write the reports of yesterday, the last 7 and the last 30 days.",
    discussion: """
      Every *.ndjson, *.json*, *.csv, *.gz and *.zip of the inbox and its folders is ingested. What was committed moves to \
      INBOX/done, what can't be read or holds no event to INBOX/failed. Names that begin with . or end in .tmp, .part, \
      .partial or ~ are still being uploaded and left alone: upload under such a name, then rename. Under other names, a file is left for \
      the next night if it was changed less than --settle ago, or if its end is missing and it was changed less than an hour ago. One \
      that grew after it was taken is read again.

      OUT/<day>/ and OUT/latest/ get yesterday, 7d and 30d, each as .json, .md, .funnel.csv, .grants.csv and .dropoff.csv. \
      The ranges are whole days that end at today's midnight in --tz; <day> is the last of them. OUT/latest/ is \
      that of the newest day.

      Then the days of the log that ended two days ago are compacted ('funnel log compact'). At the end, --retain drops the events that were \
      kept as long as their flows say, and keeps what was counted of them, as 'funnel retain' without options does; not in a night whose \
      reports could not be written. Files that have been in INBOX/done longer than the longest span of a flow are removed then, too.

      It may be run again and killed at any time: nothing is counted twice. One line on standard output says what came of it; \
      what went wrong is on standard error. A first run with an empty inbox makes the store and exits 0.

      EXAMPLE
        funnel nightly --inbox /srv/inbox --out /srv/reports --store /srv/store
        funnel nightly --inbox in --out reports --tz Europe/Berlin --min-events 1000

      \(exitStatus)
      """)

  @Option(help: ArgumentHelp("Where logs arrive.", valueName: "dir"), completion: .directory)
  var inbox: String

  @Option(help: ArgumentHelp("Where reports go; made where it is missing.", valueName: "dir"), completion: .directory)
  var out: String

  @OptionGroup var store: StoreOption

  @Option(
    help: ArgumentHelp(
      "Leave files that were changed less than this ago: somebody may still write them. 0 takes them at once.",
      valueName: "span"))
  var settle = NightlySettling.spanDefault

  @Option(help: ArgumentHelp("Exit 1 if more than this share of lines was rejected: 0.01 or 1%.", valueName: "rate"))
  var maxRejectRate: String?

  @Option(help: ArgumentHelp("Exit 1 if fewer events than this are new to the store.", valueName: "n"))
  var minEvents: Int?

  @Flag(help: "At the end, drop the events that were kept as long as their flows say ('funnel retain').")
  var retain = false

  @Option(
    help: ArgumentHelp("Write the numbers of each day into this SQLite database.", valueName: "file"), completion: .file())
  var database: String?

  @Option(
    help: ArgumentHelp(
      "Keep a state of each closed day in this folder; 'funnel merge' makes reports of any period from them.",
      valueName: "dir"),
    completion: .directory)
  var states: String?

  @Option(help: ArgumentHelp("How many days are written to the database, and counted again for --states.", valueName: "n"))
  var days = DatabaseNumbers.dayCountDefault

  @Option(help: ArgumentHelp("Write metrics for node_exporter's textfile collector.", valueName: "file"), completion: .file())
  var metrics: String?

  @Option(
    help: ArgumentHelp("Check the last 7 closed days against the rules of this file.", valueName: "file"), completion: .file())
  var alerts: String?

  @Option(
    help: ArgumentHelp(
      "Run this when there is something to report; it gets it as JSON on standard input.", valueName: "command")
  )
  var notify: String?

  @Flag(help: "Say what would be done, and change nothing.")
  var dryRun = false

  @OptionGroup var imports: ImportOptions
  @OptionGroup var pseudonyms: PseudonymOptions
  @OptionGroup var schemas: SchemaOption

  @Option(help: ArgumentHelp("App of events that name none.", valueName: "app"), completion: Completions.apps)
  var app: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Time zone whose days the reports are of (default: UTC).", valueName: "zone"),
    completion: Completions.timeZones)
  var tz: String?

  @OptionGroup var clock: ClockOption
  @OptionGroup var threads: ThreadsOption
  @OptionGroup var lock: LockOption

  @Option(help: ArgumentHelp("How the summary is printed.", valueName: "format"))
  var format: SummaryFormat = .text

  func validate() throws {
    if inbox.isEmpty { throw ValidationError("--inbox is empty; name a folder") }
    if out.isEmpty { throw ValidationError("--out is empty; name a folder") }
    try DatabaseNumbers.checkDays(days)
    if states?.isEmpty ?? false { throw ValidationError("--states is empty; name a folder") }
    for (name, value) in [("database", database), ("metrics", metrics), ("alerts", alerts)] where value?.isEmpty ?? false {
      throw ValidationError("--\(name) is empty; name a file")
    }
    if let minEvents, minEvents < 0 { throw ValidationError("--min-events \(minEvents): give 0 or more") }
  }

  func run() throws {
    let settings = try settings()
    if dryRun { return Console.print(try NightPlan(settings).text) }
    if try LocalFileSystem().status(of: StoragePath(out)) == nil {
      // A mistyped inbox does not leave a folder behind. Where there is a folder, it is told there.
      try settings.inbox.requireApart(store: settings.storePath, out: out)
    }
    let reports = try NightlyReports(folder: out)
    let lock = try NightLock.take(in: reports.root)
    var night = Night(settings, reports: reports)
    let summary = night.run()
    withExtendedLifetime(lock) {}
    if let summary {
      switch format {
      case .text: Console.print(summary.text)
      case .json: Console.print(summary.json)
      }
    }
    if let code = night.stages.problems.code { throw ExitCode(code.rawValue) }
    if night.isCrossed { throw ExitCode(1) }
  }

  private func settings() throws(FunnelError) -> NightSettings {
    let now = try clock.present()
    let zone = try tz.map { (name) throws(FunnelError) in try TimeZoneOption.rules(named: name) } ?? .utc
    if database != nil { try DatabaseNumbers.requireDatabase() }
    return NightSettings(
      inbox: NightlyInbox(inbox), settling: try NightlySettling(settle, clock: ClockOption.clock()), out: out,
      ingest: IngestOperation(
        storePath: store.path, schemas: schemas, now: now, threads: threads.count, lockTimeout: try lock.timeout(),
        app: try AppOption.checked(app), pseudonyms: pseudonyms, imports: imports),
      days: NightDays(now: now, timeZone: zone),
      thresholds: try NightlyThresholds(maxRejectRate: maxRejectRate, minEvents: minEvents), retains: retain,
      database: database, databaseDays: days, states: states, metrics: metrics, alerts: alerts, notify: notify)
  }
}
