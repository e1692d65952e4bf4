import ArgumentParser
import FunnelKit
import FunnelModel
import FunnelNightly
import FunnelReports
import FunnelStore

/// The `funnel export` command: computes the numbers of each day from the log and writes them to a SQLite database.
struct ExportCommand: ParsableCommand {
  private static let exitStatus = ExitStatus.section(.noInput, .cannotCreate, .inputOutput, .locked, .configuration)

  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Compute each day's numbers from the log and write them to a database.",
    discussion: """
      The tables are the same as those of 'funnel nightly --database', with one row per day: the numbers as of now, computed from the log \
      or, for days whose events were dropped, from their snapshots. The log does not hold the numbers reported on earlier nights, or the \
      restatements, so export never overwrites a database written by nightly runs. It replaces a database written by an earlier export.

      EXAMPLE
        funnel export --database funnel.sqlite
        funnel export --database month.sqlite --days 31 --now 2026-12-01 --tz Europe/Berlin

      \(exitStatus)
      """)

  @Option(help: ArgumentHelp("The SQLite database; created if it does not exist.", valueName: "file"), completion: .file())
  var database: String

  @Option(help: ArgumentHelp("How many days to write, ending with the last complete day.", valueName: "n"))
  var days = DatabaseNumbers.dayCountDefault

  @OptionGroup var store: StoreOption
  @OptionGroup var schemas: SchemaOption

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Time zone of the days (default: UTC).", valueName: "zone"),
    completion: Completions.timeZones)
  var tz: String?

  @OptionGroup var clock: ClockOption
  @OptionGroup var threads: ThreadsOption

  func validate() throws {
    if database.isEmpty { throw ValidationError("--database is empty; name a file") }
    try DatabaseDaysOption.check(days)
  }

  func run() throws {
    try DatabaseNumbers.requireDatabase()
    let started = WallClock.now()
    let zone = try PeriodOptions.rules(ofZone: tz)
    let runDays = NightlyRunDays(now: try clock.present(), timeZone: zone)
    let reader = try StoreReader.open(store.path)
    let catalog = try schemas.catalog(store: store.path)
    let pass = try StorePass.run(over: reader, catalog: catalog, query: runDays.byDay, threads: threads.count) {
      (events) throws(FunnelError) in
      try events.report(runDays.byDay, .standard)
    }
    let report = pass.result
    let numbers = DatabaseNumbers(store: reader, catalog: catalog, days: runDays, dayCount: days, threads: threads.count)
    try numbers.export(report, to: database, started: started)
    let range = numbers.range
    let rows = numbers.rows(of: report)
    let counts = rows.map { "\(Quantity.count($0.rows.count)) in \($0.table.name)" }.joined(separator: ", ")
    Console.notes(Report.internalNotes(pass.internalSubjects))
    Console.note("\(database.printable): \(range.lowerBound) to \(range.upperBound), rows: \(counts)")
  }
}
