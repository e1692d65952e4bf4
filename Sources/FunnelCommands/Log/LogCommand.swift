import ArgumentParser
import FunnelDecoding
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
    let period = try PeriodOptions(clock, zone: tz)
    let catalog = try schemas.catalog(store: store.path)
    let bounds = try period.bounds(since: since, until: until)
    var filter = LogFilter()
    filter.since = bounds.since
    filter.until = bounds.until
    filter.app = app
    filter.name = name
    filter.subject = subject
    filter.flows = flow.isEmpty ? nil : try catalog.indices(ofFlows: flow)
    try print(matching: filter, catalog)
  }

  /// Prints the matching events.
  private func print(matching filter: LogFilter, _ catalog: FlowCatalog) throws {
    var hasPrinted = false
    // Output can't be taken back, so a read that was interrupted by another command restarts only before it.
    try StoreReader.retrying(store.path, damage: .isError, while: { !hasPrinted }) { (reader) throws(FunnelError) in
      try FunnelError.catching {
        try LogText.forEachChunk(of: reader, matching: filter, catalog: catalog, threads: threads.count) { chunk in
          hasPrinted = true
          Console.write(chunk)
        }
      }
    }
  }
}
