import ArgumentParser
import FunnelKit
import FunnelModel
import FunnelRendering
import FunnelReports
import FunnelStore

/// The `funnel restate` command: shows which numbers of a report changed between two states of the log, and
/// which commits changed them.
struct RestateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restate",
    abstract: "Show which numbers of a report changed between two states of the log, and which commits changed them.",
    discussion: """
      Both reports use the same --now, so that passing time does not change any number. Events forgotten or undone since are in neither. \
      All counts of the reports funnel, grants and dropoff are compared, or only those of the report you name. Numbers have names such \
      as funnel.entered, step.photos.reached, permission.photos.granted or dropoff.start.exits_left.

      EXAMPLE
        funnel restate --from 41
        funnel restate funnel --from 2026-11-20 --to 2026-11-21 --flow trendy/onboarding --since 30d

      \(ExitStatus.section(.noInput, .cannotCreate, .inputOutput, .configuration))
      """)

  @Argument(
    help: ArgumentHelp("A report: funnel, grants or dropoff (default: all three).", valueName: "name"),
    completion: .list(ReportSelection.standard.names))
  var name: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The earlier state: after this commit, or at this time.", valueName: "commit|when"))
  var from: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The later state (default: the log as it is now).", valueName: "commit|when"))
  var to: String?

  @OptionGroup var store: StoreOption
  @OptionGroup var query: QueryOptions
  @OptionGroup var split: SplitOptions
  @OptionGroup var schemas: SchemaOption
  @OptionGroup var output: OutputOptions
  @OptionGroup var threads: ThreadsOption
  @OptionGroup var memory: MemoryOption

  func run() throws {
    let selection = try selection()
    if self.query.asOf != nil { throw FunnelError(.usage, "restate has no --as-of, use --from and --to instead") }
    let format = try output.reportFormat(selection: selection)
    let query = try split.applied(to: query.query())
    try selection.check(query)
    let period = PeriodOptions(of: query)
    let reader = try StoreReader.open(store.path)
    let first = try reader.commit(of: period.logMoment(from, option: "--from"))
    let last = try to.map { try reader.commit(of: period.logMoment($0, option: "--to")) } ?? reader.commits.count
    guard first <= last else {
      throw FunnelError(.usage, "--from commit \(first) is after --to commit \(last), swap them")
    }
    let left = reader.eventsLeft
    let commits = reader.commits.map(\.number).filter { $0 > first && $0 <= last && left[$0] != nil }
    let past = try ReportSource(
      inputs: [], app: nil, store: store, schemas: schemas, query: self.query, threads: threads, memory: memory,
      imports: try ImportOptions.parse([])
    ).reader()
    var damage: ReportDamage?
    func report(at commit: Int) throws -> Report {
      var query = query
      query.asOf = .commit(commit)
      let report = try past.response(to: query, selection).report
      damage = damage ?? report.damage
      return report
    }
    var search = RestateSearch(from: first, commits: commits) { ReportNumbers(of: try report(at: $0)) }
    let rows = try search.rows()
    var restatement = Report(query: query).restated(rows)
    if to != nil { restatement.query.asOf = .commit(last) }
    // Without any number, the hints on an empty report apply to both states.
    if search.hasNumbers {
      restatement.emptinessTitle = "Nothing changed"
      restatement.emptinessReason = Self.noDifference(from: first, to: last)
    }
    try output.write(restatement, as: format)
    printCommits(Set(rows.flatMap(\.commits)), of: reader, from: first, to: last)
    if let damage { throw DamagedLog.error(damage, store: store.path) }
  }

  private static func noDifference(from first: Int, to last: Int) -> String {
    "no number differs between commits \(first) and \(last)"
  }

  /// Prints the time and the number of events of each commit that changed a number.
  private func printCommits(_ numbers: Set<Int>, of reader: StoreReader, from first: Int, to last: Int) {
    guard !numbers.isEmpty else { return Console.note("funnel: \(Self.noDifference(from: first, to: last))") }
    let left = reader.eventsLeft
    for number in numbers.sorted() {
      let commit = reader.commits[number - 1]
      Console.note(
        "funnel: commit \(number), \(commit.kind) of \(commit.at), added \(Quantity.counted(left[number] ?? 0, "event"))")
    }
  }

  /// Returns the named report, or the standard ones. Throws `usage` if restate does not cover the report.
  private func selection() throws(FunnelError) -> ReportSelection {
    guard let name else { return .standard }
    if ReportSelection.standard.names.contains(name), let selection = ReportSelection(name: name) { return selection }
    let names = ReportSelection.standard.names
    let hint = NearestName.find(name, in: names).map { "did you mean \($0)?" } ?? "give one of \(names.joined(separator: ", "))"
    throw FunnelError(.usage, "restate does not cover this report, \(name.printable), \(hint)")
  }
}
