import ArgumentParser
import FunnelKit
import FunnelModel
import FunnelStore

/// The `funnel retain` command: drops events older than their retention period, and keeps snapshots of their numbers.
struct RetainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retain",
    abstract: "Drop events that are old enough, and keep the numbers of their days.",
    discussion: """
      Drops whole UTC days: with --events 30d all events and dead letters of days that ended 30 days ago or earlier; with --exact \
      everything more than 30 days old, to the millisecond. --app and --name restrict this to events of these apps, in any flow, and to \
      matching event names. With --app, dead letters are dropped if their line names the app or was ingested with it; with --name no \
      dead letters are dropped.

      Without --events each flow's definition says how long its events are kept ("retention":{"events":"30d","snapshots":"90d", \
      "also":["mood_*"]}). This applies to the events of the flow, and to events of its app whose names match one of "also". An event of \
      several flows is kept as long as any of them requires, a dead letter as long as any flow of its app does. Events of flows without \
      "retention", and events of no flow that no "also" matches, are kept forever.

      Before a day's events are dropped, its funnel, grant and drop-off reports are saved as a snapshot, in the same commit; rows with \
      fewer than 10 people are not saved. Whole days of snapshots are dropped after --snapshots, or after the longest time in the flows' \
      definitions. 'funnel snapshots' prints them.

      Reports no longer include a dropped day. If its events are ingested again, they count as new.

      EXAMPLE
        funnel retain --events 30d --snapshots 90d --dry-run
        funnel retain --events 30d --app clarity --name 'mood_*' --name 'connection_*'
        funnel retain --exact

      \(ExitStatus.section(.noInput, .cannotCreate, .inputOutput, .locked, .configuration))
      """)

  @OptionGroup var store: StoreOption

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How long to keep events and dead letters, in days (default: as the flows say).", valueName: "span"))
  var events: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long to keep snapshots, in days (default: as the flows say; with --events: forever).", valueName: "span"))
  var snapshots: String?

  @Option(help: ArgumentHelp("Only events and dead letters of this app; needs --events (repeatable).", valueName: "app"))
  var app: [String] = []

  @Option(
    help: ArgumentHelp(
      "Only events whose name matches, * for any characters; needs --events (repeatable).", valueName: "pattern"))
  var name: [String] = []

  @Flag(help: "Drop to the exact millisecond instead of by whole days; gzip members that are partly too old are rewritten.")
  var exact = false

  @Flag(help: "Show what would be dropped, but change nothing.")
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
      ? try run.preview(on: StoreReader.open(store.path))
      : try run.apply(
        on: StoreWriter.open(
          store.path, threads: threads.count, lockTimeout: try lock.timeout(), monitor: Console.monitor),
        monitor: Console.monitor)
    switch format {
    case .text: Console.print(report.text)
    case .json: Console.print(report.json)
    }
  }
}

/// The `funnel snapshots` command: prints the saved reports of days whose events were dropped.
struct SnapshotsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshots",
    abstract: "Print the saved numbers of days whose events were dropped, as one line of JSON per day.",
    discussion: """
      Each line has the day, when it was counted, how many rows were too small to be saved, and the report in the format of \
      'funnel report --format json'. A day has several lines if some of its events arrived late.

      EXAMPLE
        funnel snapshots | jq -r '[.day, .report.funnel[0].entered] | @csv'
        funnel snapshots --since 2026-10-01 --until 2026-11-01

      \(ExitStatus.section(.noInput, .inputOutput, .configuration, special: [.configuration: ExitStatus.newerStore]))
      """)

  @OptionGroup var store: StoreOption

  @Option(parsing: .unconditional, help: ArgumentHelp("Only days at or after this: a date, or 7d ago.", valueName: "when"))
  var since: String?

  @Option(parsing: .unconditional, help: ArgumentHelp("Only days before this.", valueName: "when"))
  var until: String?

  @OptionGroup var clock: ClockOption

  func run() throws {
    let period = try PeriodOptions(clock)
    let since = try period.moment(ifGiven: since, option: "--since")
    let until = try period.moment(ifGiven: until, option: "--until")
    let reader = try StoreReader.open(store.path)
    for member in try reader.members(of: .snapshots) {
      let day = member.logFile.day.midnight
      if let since, day < since { continue }
      if let until, day >= until { continue }
      Console.write(try reader.read(member))
    }
  }
}
