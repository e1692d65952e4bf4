import ArgumentParser
import FunnelDecoding
import FunnelIngest
import FunnelKit
import FunnelStore
import FunnelModel

/// The `funnel log` command: groups the subcommands that inspect and maintain the store's event log.
struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "List, print, check, repair and describe the event log of a store.",
    discussion: """
      EXAMPLE
        funnel log ls
        funnel log cat --since 24h --app cleaner | jq .name
        funnel log keys --flow trendy/onboarding
        funnel log verify

      \(ExitStatus.section())
      """,
    subcommands: [
      LogListCommand.self, LogCommitsCommand.self, LogCatCommand.self, LogKeysCommand.self, LogVerifyCommand.self,
      LogRepairCommand.self,
      LogCompactCommand.self, LogUndoCommand.self,
      LogInfoCommand.self,
    ])
}

/// The `funnel log cat` command: prints the stored events that match a filter.
struct LogCatCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cat",
    abstract: "Print events of the log as NDJSON.",
    discussion: """
      Events are printed by day and, within a day, in the order in which they were appended.

      EXAMPLE
        funnel log cat --subject inst_4f2a91
        funnel log cat --since 7d --flow trendy/onboarding --name step_failed

      \(ExitStatus.section(.noInput, .inputOutput, .configuration))
      """)

  @OptionGroup var store: StoreOption

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only events at or after this: a time, a date, or 24h, 7d ago.", valueName: "when"))
  var since: String?

  @Option(parsing: .unconditional, help: ArgumentHelp("Only events before this.", valueName: "when"))
  var until: String?

  @Option(help: ArgumentHelp("Only events of this app.", valueName: "app"), completion: Completions.apps)
  var app: String?

  @Option(
    help: ArgumentHelp("Only events that belong to this flow (repeatable).", valueName: "app/flow[@version]"),
    completion: Completions.flows)
  var flow: [String] = []

  @Option(help: ArgumentHelp("Only events of this name.", valueName: "name"))
  var name: String?

  @Option(help: ArgumentHelp("Only events of this subject.", valueName: "id"))
  var subject: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Time zone of dates (default: UTC).", valueName: "zone"),
    completion: Completions.timeZones)
  var tz: String?

  @OptionGroup var clock: ClockOption
  @OptionGroup var schemas: SchemaOption
  @OptionGroup var threads: ThreadsOption

  func run() throws {
    let moments = MomentOption(
      now: try clock.present(),
      timeZone: try tz.map { (zone) throws(FunnelError) in try TimeZoneRules.named(zone) } ?? .utc)
    let catalog = try schemas.catalog(store: store.path)
    var filter = LogFilter()
    filter.since = try moments.moment(since, option: "--since")
    filter.until = try moments.moment(until, option: "--until")
    try MomentOption.requireOrder(since: filter.since, until: filter.until)
    filter.app = app
    filter.name = name
    filter.subject = subject
    filter.flows = flow.isEmpty ? nil : try catalog.indices(ofFlows: flow)
    try print(matching: filter, catalog)
  }

  /// The largest number of attempts.
  ///
  /// Another command may replace log files while this one reads them. The read is then restarted, unless output
  /// has been printed.
  private static let attemptsMax = 5

  /// Prints the matching events.
  private func print(matching filter: LogFilter, _ catalog: FlowCatalog) throws {
    var attempt = 1
    var hasPrinted = false
    while true {
      let reader = try StoreReader.open(store.path)
      do {
        return try LogText.forEachChunk(of: reader, matching: filter, catalog: catalog, threads: threads.count) { chunk in
          hasPrinted = true
          Console.write(chunk)
        }
      } catch let error as FunnelError {
        guard !hasPrinted, attempt < Self.attemptsMax, try reader.isOutdated() else { throw error }
        attempt += 1
      }
    }
  }
}
