import ArgumentParser
import FunnelStore
import FunnelModel

/// The `funnel retain` command, which drops data whose retention has ended.
struct RetainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retain",
    abstract: "Drop events that were kept long enough, and keep what was counted of their days.",
    discussion: """
      Whole UTC days go: with --events 30d all events, and all dead letters, of days that ended 30 days ago or earlier; with --exact \
      all that is more than 30 days old to the millisecond. --app and --name say of which events: those of these apps, whatever they \
      belong to, and of names that match; with --app the dead letters go whose line names the app or was ingested with it, with --name none.

      Without --events each flow's definition says how long its events stay ("retention":{"events":"30d","snapshots":"90d", \
      "also":["mood_*"]}): those of the flow, and those of its app whose names match one of "also". An event of several flows stays as \
      long as one of them wants it. Dead letters stay as long as the longest of their app's flows says. Of flows that say nothing, and of \
      events of no flow that no "also" names, all stays.

      Before a day's events go, its funnel, grant and drop-off reports are counted and kept as a snapshot, in the same commit; rows of \
      fewer than 10 groups are not kept. Snapshots go by whole days, when --snapshots, or the longest of the flows' definitions, is over. \
      'funnel snapshots' prints them.

      A day that is gone is gone from every report. Events of it that are ingested again are taken as new.

      EXAMPLE
        funnel retain --events 30d --snapshots 90d --dry-run
        funnel retain --events 30d --app clarity --name 'mood_*' --name 'connection_*'
        funnel retain --exact

      \(ExitStatus.section(.noInput, .cannotCreate, .inputOutput, .locked, .configuration))
      """)

  @OptionGroup var store: StoreOption

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How long events and dead letters stay, in days (default: as the flows say).", valueName: "span"))
  var events: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long snapshots stay, in days (default: as the flows say; with --events, for ever).", valueName: "span"))
  var snapshots: String?

  @Option(help: ArgumentHelp("Only events and dead letters of this app; repeatable, needs --events.", valueName: "app"))
  var app: [String] = []

  @Option(
    help: ArgumentHelp(
      "Only events whose name matches, * for any characters; repeatable, needs --events.", valueName: "pattern"))
  var name: [String] = []

  @Flag(help: "Cut to the millisecond instead of dropping whole days; the members at the edge are written anew.")
  var exact = false

  @Flag(help: "Say what would go, and change nothing.")
  var dryRun = false

  @OptionGroup var schemas: SchemaOption
  @OptionGroup var clock: ClockOption
  @OptionGroup var threads: ThreadsOption
  @OptionGroup var lock: LockOption

  @Option(help: ArgumentHelp("text or json (default: text).", valueName: "format"))
  var format: SummaryFormat = .text

  func run() throws {
    let spans = try RetentionSpans(events: events, snapshots: snapshots, apps: app, names: name, isExact: exact)
    try StoreReader.requireStore(store.path)
    let run = RetentionOperation(
      spans: spans, catalog: try schemas.catalog(store: store.path), now: try clock.present(), threads: threads.count)
    let report =
      dryRun
      ? try run.rehearse(on: StoreReader.open(store.path))
      : try run.carryOut(on: StoreWriter.open(store.path, threads: threads.count, lockTimeout: try lock.timeout()))
    switch format {
    case .text: Console.print(report.text)
    case .json: Console.print(report.json)
    }
  }
}
