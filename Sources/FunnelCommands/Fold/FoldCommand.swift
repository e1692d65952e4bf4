import ArgumentParser
import FunnelDecoding
import FunnelIngest
import FunnelKit
import FunnelModel
import FunnelReports

/// The `funnel fold` command: aggregates events into a state file, which `funnel merge` combines with others into a report.
struct FoldCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fold",
    abstract: "Count events into a state file, which 'funnel merge' can combine with others.",
    discussion: """
      Run one fold on each of several machines, with the events of each subject on one machine only ('funnel shard'); 'funnel merge' then \
      makes one report of them. All folds must use the same options, including --now, and the same definitions.

      Without a report name all reports but next, drivers and retention are counted, so that 'funnel merge' can print any of them; with a name \
      only that report, which is faster. An input that has no lines, or only rejected ones, makes a state too.

      EXAMPLE
        funnel fold shard0.ndjson --now 2026-11-20 --state 0.state
        zcat logs/*.gz | funnel fold grants --by ctx.variant --now 2026-11-20 --state grants.state

      \(ExitStatus.section(.unusableInput, .noInput, .cannotCreate, .inputOutput, .configuration))
      """)

  @Argument(
    help: ArgumentHelp(
      "A report (\(ReportSelection.allNames.joined(separator: ", ")); default: all), then files or folders to read (default: -, standard input).",
      valueName: "name|input"),
    completion: Completions.reportsOrFiles)
  var inputs: [String] = []

  @Option(
    help: ArgumentHelp("Write the state to this file, atomically; - for standard output.", valueName: "file"),
    completion: .file())
  var state: String

  @OptionGroup var folded: FoldedLines
  @OptionGroup var query: QueryOptions
  @OptionGroup var split: SplitOptions
  @OptionGroup var adHoc: AdHocOptions
  @OptionGroup var next: NextOptions
  @OptionGroup var drivers: DriverOptions
  @OptionGroup var retention: RetentionOptions
  @OptionGroup var schemas: SchemaOption
  @OptionGroup var threads: ThreadsOption
  @OptionGroup var memory: MemoryOption

  func validate() throws {
    if state.isEmpty { throw ValidationError("--state is empty; name a file") }
    if let past = query.asOf {
      throw ValidationError("--as-of \(past): only a store has earlier states, and this command reads files; leave it out")
    }
  }

  func run() throws {
    let (named, inputs) = namedAndInputs()
    let (query, selection) = try queryAndSelection(named)
    let fold = try StateFold(query, selection, in: try schemas.catalog(), flows: self.query.flow, app: folded.app)
    let (result, input, notes) = try fold.state(
      of: try InputFile.files(at: inputs), options: try folded.decoding(now: query.now), threads: threads.count,
      memory: try memory.limit(), monitor: Console.monitor)
    Console.notes(
      ImportReport(aggregate: input.imports, isFormatGiven: folded.imports.withoutRetentionStart.settings.isFormatGiven).notes)
    if input.rejectedCount > 0 {
      Console.notes([RejectionSummary.sentence(input)] + input.firstRefusals.refusals.map { "  \(RejectionReport.text($0))" })
    }
    // A state does not contain these users, because their number has no bound. So merge can't name them.
    Console.notes(notes)
    try StateOutput.write(result, to: state)
  }

  /// Splits the arguments into the report that the first one names, or `nil` if it is not a report name, and the inputs.
  private func namedAndInputs() -> (ReportSelection?, [String]) {
    let named = inputs.first.flatMap { ReportSelection(name: $0) }
    let files = named == nil ? inputs : Array(inputs.dropFirst())
    return (named, files.isEmpty ? ["-"] : files)
  }

  /// Returns the query of the options and the reports to aggregate.
  private func queryAndSelection(_ named: ReportSelection?) throws -> (ReportQuery, ReportSelection) {
    var query = try split.applied(to: self.query.query())
    let requested = named ?? (next.isEmpty ? .standard : ReportSelection(NextReport.self))
    try next.apply(to: &query, for: requested, with: adHoc)
    try drivers.apply(to: &query, for: requested)
    try retention.apply(to: &query, for: requested, with: folded.imports)
    guard let named else { return (query, .all(answering: query)) }
    if case .ofLog? = query.drivers?.keys {
      throw FunnelError(
        .usage, "drivers needs --keys in a state, no key given, all folds must count the same keys, name them with --keys")
    }
    try named.check(query)
    return (query, named)
  }
}
