import ArgumentParser
import FunnelKit
import FunnelModel
import FunnelRendering
import FunnelReports

/// The `funnel compare` command: compares variants, versions or periods of a flow with significance tests.
struct CompareCommand: ParsableCommand {
  private static let exitStatus = ExitStatus.section(
    .unusableInput, .noInput, .cannotCreate, .inputOutput, .configuration,
    special: [.unusableInput: "every line of the input was refused, or it can't be used"])

  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare variants, versions or periods: is one better, or may it be chance?",
    discussion: """
      The sides are told apart by one of --by KEY, --versions A,B and --versus; the first is the baseline, of periods the earlier one. \
      Only people whose window has closed count, unless --open-too says otherwise. Without INPUT the store is read; with it, files are \
      folded directly.

      The verdict comes first and is about --metric. "You may stop looking" holds however often you look; "if this was the one look \
      you planned" does not. Without a clear difference it says how many people it takes to detect one of --detect points, and how \
      many days. Sides whose sizes are not as meant are told before it.

      Each difference has a 95 % interval (Newcombe) and a p (z test, or Fisher's exact test where numbers are small); the p of all \
      but --metric is corrected for their number (Holm). With --stratify the sides are also compared within the values of another key.

      --versus previous compares with as many days right before. While windows of the later period are open, both are compared at the \
      same age: the baseline as it stood when it was as old as the later period is now.

      EXAMPLE
        funnel compare --by ctx.variant
        funnel compare --by ctx.variant --sides A,B,C --metric grant_rate:photos --flow trendy/onboarding
        funnel compare --by ctx.variant --stratify ctx.os --detect 2
        funnel compare --versions 1,2 --flow clarity/onboarding --format json
        funnel compare --since 7d --versus previous
        funnel compare --since 14d --until 7d --versus 21d..14d

      \(exitStatus)
      """)

  @Argument(help: ArgumentHelp("Files or folders to read.", valueName: "input"), completion: .file())
  var inputs: [String] = []

  @OptionGroup var sides: SideOptions
  @OptionGroup var store: StoreOption
  @OptionGroup var query: QueryOptions
  @OptionGroup var adHoc: AdHocOptions
  @OptionGroup var schemas: SchemaOption
  @OptionGroup var output: OutputOptions
  @OptionGroup var threads: ThreadsOption
  @OptionGroup var memory: MemoryOption
  @OptionGroup var imports: ImportOptions

  @Option(
    help: ArgumentHelp("App of events in INPUT that name none, and of --steps.", valueName: "app"), completion: Completions.apps
  )
  var app: String?

  func run() throws {
    let format = try output.reportFormat()
    let (response, plan) = try response()
    if plan.hasOverlap { Console.notes([ComparisonPlan.overlapNote]) }
    let comparison: Report
    do throws(FunnelError) {
      comparison = try plan.comparison(of: response)
    } catch {
      // A misspelled key or a damaged log may be the cause of missing sides, so they are reported first.
      response.printEmptiness()
      try response.printFindings(of: response.report.withoutRows)
      try response.throwFailure(store: store.path)
      throw error
    }
    // JSON and CSV contain only numbers, so the notes of the comparison go to standard error.
    let showsNumbersAlone = format == .json || format == .csv
    try output.write(showsNumbersAlone ? comparison.withoutEmptyComparisons : comparison, as: format)
    if format != .table { response.printEmptiness() }
    if showsNumbersAlone { Console.notes(comparison.comparisonNotes) }
    try response.printFindings(of: comparison)
    try response.throwFailure(store: store.path)
  }

  /// The source of the events.
  var source: ReportSource {
    ReportSource(
      inputs: inputs, app: app, store: store, schemas: schemas, query: query, threads: threads, memory: memory,
      imports: imports,
      isAppOfSteps: adHoc.steps != nil)
  }

  /// Returns the reports of the sides, and the plan by which they become a comparison.
  ///
  /// - Throws: `usage` if the options define no sides.
  func response() throws -> (ReportResponse, ComparisonPlan) {
    let source = source
    try source.check()
    var query = try query.query()
    try adHoc.apply(to: &query)
    let plan = try sides.plan(for: query)
    let response = try source.reader().response(to: plan.queries, reading: plan.reading, plan.selection)
    try plan.check(response)
    return (try response.explained(), plan)
  }
}
