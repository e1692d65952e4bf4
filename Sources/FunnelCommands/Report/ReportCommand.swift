import ArgumentParser
import FunnelKit
import FunnelModel
import FunnelRendering
import FunnelReports

/// The `funnel report` command: prints funnels, drop-off, grant rates and other reports.
struct ReportCommand: ParsableCommand {
  private static let exitStatus = ExitStatus.section(
    .unusableInput, .noInput, .cannotCreate, .inputOutput, .configuration,
    special: [.unusableInput: "every line of the input was rejected, or the input can't be used"])

  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Print funnels, grant rates and drop-off, from a store or directly from files.",
    discussion: """
      Without a report name all three are printed. Without INPUT the store is read; with INPUT the files are read directly.

      If the log is damaged, the report covers the events that can be read and says so, and the exit code is 74. With an intact index \
      the log itself is not read; only the presence and length of its files are checked. 'funnel log verify' reads every byte.

      EXAMPLE
        funnel report --since 7d
        funnel report grants --flow trendy/onboarding --by ctx.variant
        funnel report funnel logs/ --format csv > funnel.csv
        funnel report funnel --steps app_opened,step:welcome,perm:photos:granted
        funnel report next --after step:welcome
        funnel report drivers --flow trendy/onboarding --keys ctx.app_version,ctx.os_version
        funnel report retention --every day --return app_opened

      \(exitStatus)
      """)

  @Argument(
    help: ArgumentHelp(
      "A report (\(ReportSelection.allNames.joined(separator: ", ")); default: funnel, grants, dropoff), then files or folders to read.",
      valueName: "name|input"),
    completion: Completions.reportsOrFiles)
  var inputs: [String] = []

  @OptionGroup var store: StoreOption
  @OptionGroup var query: QueryOptions
  @OptionGroup var split: SplitOptions
  @OptionGroup var adHoc: AdHocOptions
  @OptionGroup var next: NextOptions
  @OptionGroup var drivers: DriverOptions
  @OptionGroup var retention: RetentionOptions
  @OptionGroup var schemas: SchemaOption
  @OptionGroup var output: OutputOptions
  @OptionGroup var threads: ThreadsOption
  @OptionGroup var memory: MemoryOption
  @OptionGroup var imports: ImportOptions

  @Option(
    help: ArgumentHelp("App of events in INPUT that don't name one, and of --steps.", valueName: "app"),
    completion: Completions.apps
  )
  var app: String?

  func run() throws {
    let (selection, inputs) = selectionAndInputs()
    if selection.isOfRetention { try imports.checkRetentionStart() }
    let source = source(inputs, for: selection)
    try source.check(
      advice: "; the reports are \(ReportSelection.allNames.joined(separator: ", ")), name one at a time")
    let format = try output.reportFormat(selection: selection)
    let query = try query(for: selection)
    let response = try source.reader().response(to: query, selection).explained()
    try output.write(response.report, as: format)
    if format != .table { response.printEmptiness() }
    try response.printFindings()
    try source.printIdentityNote(of: response)
    try response.throwFailure(store: store.path, isFormatGiven: imports.withoutRetentionStart.settings.isFormatGiven)
  }

  /// Returns the source of the events for some reports.
  func source(_ inputs: [String], for selection: ReportSelection) -> ReportSource {
    ReportSource(
      inputs: inputs, app: app, store: store, schemas: schemas, query: query, threads: threads, memory: memory,
      imports: imports.withoutRetentionStart,
      suggestionForMissing: { name in
        NearestName.find(name, in: ReportSelection.allNames).map { "did you mean 'funnel report \($0)'?" }
      }, isAppOfSteps: adHoc.steps != nil && !selection.isOfNext)
  }

  /// Returns the query that the options define. Throws `usage` if the reports do not allow it.
  func query(for selection: ReportSelection) throws -> ReportQuery {
    var query = try split.applied(to: self.query.query())
    try next.apply(to: &query, for: selection, with: adHoc)
    try drivers.apply(to: &query, for: selection)
    try retention.apply(to: &query, for: selection, with: imports)
    try selection.check(query)
    return query
  }

  /// Splits the arguments into the report that the first one names, or the standard reports, and the inputs.
  func selectionAndInputs() -> (ReportSelection, [String]) {
    guard let name = inputs.first, let selection = ReportSelection(name: name) else { return (.standard, inputs) }
    return (selection, Array(inputs.dropFirst()))
  }
}
