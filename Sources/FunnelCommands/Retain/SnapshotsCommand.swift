import ArgumentParser
import FunnelStore
import FunnelModel

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
    let moments = MomentOption(now: try clock.present(), timeZone: .utc)
    let since = try moments.moment(since, option: "--since")
    let until = try moments.moment(until, option: "--until")
    let reader = try StoreReader.open(store.path)
    for member in try reader.members(of: .snapshots) {
      let day = member.part.day.midnight
      if let since, day < since { continue }
      if let until, day >= until { continue }
      Console.write(try reader.read(member))
    }
  }
}
