import ArgumentParser
import FunnelModel
import FunnelReports

/// The `funnel compare` command, which says how two sides of a flow differ and whether that may be chance.
struct CompareCommand: ParsableCommand {
  private static let exitStatus = ExitStatus.section(
    .unusableInput, .noInput, .cannotCreate, .inputOutput, .configuration,
    special: [.unusableInput: "every line of the input was refused, or it can't be used"])

  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare two variants, versions or periods: how much do they differ, and may it be chance?",
    discussion: """
      The sides are told apart by one of --by KEY, --versions A,B and --versus C..D; the first is the baseline. Only groups whose \
      window has closed count, unless --open-too says otherwise. Without INPUT the store is read; with it, files are folded directly.

      Each difference has a 95 % interval (Newcombe) and a p (z test, or Fisher's exact test where groups are few), and the p after \
      Holm's correction, because of many numbers one differs by chance. Sides whose sizes are not as meant are told first.

      EXAMPLE
        funnel compare --by ctx.variant
        funnel compare --by ctx.variant --sides A,B --flow trendy/onboarding
        funnel compare --versions 1,2 --flow clarity/onboarding --format json
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
    let source = ReportSource(
      inputs: inputs, app: app, store: store, schemas: schemas, query: query, threads: threads, memory: memory,
      imports: imports,
      isAppOfSteps: adHoc.steps != nil)
    try source.check()
    let format = try output.reportFormat()
    var question = try query.query()
    try adHoc.apply(to: &question)
    let plan = try sides.plan(for: question)
    if plan.hasOverlap {
      Console.notes(["the two periods overlap: what began in both counts on both sides, and the p values are too small"])
    }
    var answer = try source.answer(to: plan.questions, reading: plan.reading, .comparison)
    try plan.requireVersions(of: answer)
    try answer.explainEmptiness()
    let comparison: Report
    do throws(FunnelError) {
      comparison = try plan.comparison(of: answer)
    } catch {
      // Mistakes in the key and damage of the log are told first, because they may be why the sides are missing.
      answer.tellEmptiness()
      try answer.tellFindings()
      try answer.throwFailure(store: store.path)
      throw error
    }
    try output.write(comparison, as: format)
    if format != .table { answer.tellEmptiness() }
    try answer.tellFindings()
    try answer.throwFailure(store: store.path)
  }
}
