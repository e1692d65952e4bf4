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
    abstract: "Take in what arrived in an inbox, then write the reports of yesterday, 7 and 30 days.",
    discussion: """
      Every *.ndjson, *.json*, *.csv, *.gz and *.zip of the inbox and its folders is ingested. What was committed moves to \
      INBOX/done, what can't be read or holds no event to INBOX/failed. Names that begin with . or end in .tmp, .part, \
      .partial or ~ are still being uploaded and left alone: upload under such a name, then rename.

      OUT/<day>/ and OUT/latest/ get yesterday, 7d and 30d, each as .json, .md, .funnel.csv, .grants.csv and .dropoff.csv. \
      The ranges are whole days that end at today's midnight in --tz; <day> is the last of them. OUT/latest/ is \
      that of the newest day.

      Then the days of the log that ended two days ago are compacted ('funnel log compact'). At last --retain drops the events that were \
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

  @Option(help: ArgumentHelp("Exit 1 if more than this share of lines was rejected: 0.01 or 1%.", valueName: "rate"))
  var maxRejectRate: String?

  @Option(help: ArgumentHelp("Exit 1 if fewer events than this are new to the store.", valueName: "n"))
  var minEvents: Int?

  @Flag(help: "At last drop the events that were kept as long as their flows say ('funnel retain').")
  var retain = false

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
    if let minEvents, minEvents < 0 { throw ValidationError("--min-events \(minEvents): give 0 or more") }
  }

  func run() throws {
    let thresholds = try NightlyThresholds(maxRejectRate: maxRejectRate, minEvents: minEvents)
    let zone = try tz.map { (name) throws(FunnelError) in try TimeZoneOption.rules(named: name) } ?? .utc
    let now = try clock.present()
    let run = IngestOperation(
      storePath: store.path, schemas: schemas, now: now, threads: threads.count, lockTimeout: try lock.timeout(),
      app: try AppOption.checked(app), pseudonyms: pseudonyms, imports: imports)
    let inbox = NightlyInbox(inbox)
    try inbox.requireApart(store: store.path, out: out)
    // The writer holds the store's lock until the last report is written: a second run waits, and then finds the inbox empty.
    let (writer, catalog) = try run.openWriter()
    let retention = try retain ? NightlyRetention(catalog: catalog, now: now, threads: threads.count) : nil
    let reports = try NightlyReports(folder: out, now: now, timeZone: zone)
    var night = NightlyIngest(
      inbox: inbox, writer: writer, catalog: catalog,
      options: Ingestor.Options(decoding: try run.decoding(for: writer), threads: threads.count))
    try night.run()
    var remembered: [String] = []
    _ = night.problems.tolerating { () throws(FunnelError) in
      remembered = try StoreDefinitions.remember(catalog, in: writer)
    }
    var damage: ReportDamage?
    let isReported = night.problems.tolerating { () throws(FunnelError) in
      damage = try reports.write(from: writer.reader, catalog: catalog, threads: threads.count)
    }
    if let damage { night.problems.add(DamagedLog.error(damage, store: store.path)) }
    let daysCompacted = compact(writer, now: now)
    let retained = retention?.run(
      on: writer, isReported: isReported, isInboxClear: !night.hasUnmovedFiles, &night.problems)
    let doneCleared = retained == nil ? nil : retention?.clearDone(of: inbox, &night.problems)
    let summary = NightlySummary(
      outcome: night.outcome, now: now, day: reports.day, reports: isReported ? reports.dayFolder.description : nil,
      daysCompacted: daysCompacted, retention: retained, doneCleared: doneCleared, eventsInStore: writer.reader.eventCount,
      remembered: remembered)
    switch format {
    case .text: Console.print(summary.text)
    case .json: Console.print(summary.json)
    }
    let crossed = thresholds.complain(about: night.outcome, store: store.path)
    if let code = night.problems.code { throw ExitCode(code.rawValue) }
    if crossed { throw ExitCode(1) }
  }

  /// Compacts the completed days, and returns their number. Compaction is optional, so a failure is only reported, and the next night
  /// tries again.
  private func compact(_ writer: StoreWriter, now: Timestamp) -> Int {
    do {
      return try LogCompaction(threads: threads.count, now: now).run(on: writer).days.count
    } catch {
      Console.complain("the log was not compacted, the night went well otherwise: \(error.message)")
      return 0
    }
  }
}
