import ArgumentParser
import FunnelImport
import FunnelDecoding
import FunnelInference
import FunnelIngest
import FunnelKit
import FunnelModel
import FunnelSchemas

extension SchemaCommand {
  /// The `funnel schema infer` command: infers a draft flow definition from events.
  struct Infer: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Draft a flow definition from the events of an input.",
      discussion: """
        The steps are the ids of step_viewed events or, without these, the event names that at least --min-share of the subjects have, in \
        the order in which people first reach them. Permissions are found by their events. Builds (ctx.app_version) with different steps \
        become versions, printed as an array. The definition is printed on standard output, notes on how it was found on standard error.

        EXAMPLE
          funnel schema infer logs/ --flow onboarding > my-flows/todo.onboarding.v1.json
          funnel schema infer export.zip --map todo.map.json > flows/todo.json

        \(ExitStatus.section(.unusableInput, .noInput, .inputOutput, .configuration))
        """)

    @Argument(
      help: ArgumentHelp("Files, folders, or - for standard input.", valueName: "input"), completion: .file())
    var inputs: [String]

    @OptionGroup var imports: ImportOptions

    @Option(
      help: ArgumentHelp("App of the events; needed if there are several.", valueName: "app"), completion: Completions.apps)
    var app: String?

    @Option(help: ArgumentHelp("Name of the flow (default: the one in the events, else onboarding).", valueName: "flow"))
    var flow: String?

    @Option(
      help: ArgumentHelp("Smallest share of subjects that must have a step: 0.05 or 5% (default: 5%).", valueName: "share"))
    var minShare: String?

    @OptionGroup var clock: ClockOption

    func run() throws {
      var options = InferredFlow.Options()
      options.app = try AppName.checked(app)
      if let flow {
        guard FlowReference("x/\(flow)") != nil else {
          throw FunnelError(
            .usage,
            "not a flow, --flow \(flow.printable), write lower-case letters, digits and underscores, beginning with a letter")
        }
        options.flow = flow
      }
      if let minShare { options.shareMin = try RateOption.rate(minShare, option: "--min-share") }
      let statistics = try LogStatistics.take(
        inputs, imports: imports, app: options.app, now: try clock.present(), catalog: try FlowCatalog(layers: []))
      let draft = try InferredFlow(statistics, options: options)
      Console.comments(draft.evidence)
      Console.print(draft.json)
    }
  }
}

/// Computes statistics of the events of inputs, for commands that infer or check definitions.
enum LogStatistics {
  /// Reads the inputs, with a line of progress, and prints notes on formats and rejected lines.
  ///
  /// - Throws: `unusableInput` if no line is a valid event.
  static func take(
    _ inputs: [String], imports: ImportOptions, app: String?, now: Timestamp, catalog: FlowCatalog
  ) throws -> OccurrenceStatistics {
    let files = try InputFile.files(at: inputs)
    var options = DecodingOptions(now: now, privacy: BuiltInSchemas.privacy, defaultApp: app)
    options.imports = try imports.settings.plans()
    let progress = ProgressLine(label: "reading", files: files)
    let (statistics, counts) = try OccurrenceStatistics.ofFiles(
      files, options: options, catalog: catalog, progress: progress.update)
    progress.finish()
    Console.notes(imports.settings.report(counts.imports).notes)
    if counts.lines > 0, counts.events == 0 {
      throw FunnelError(
        .unusableInput,
        "no line is a valid event, \(inputs[0].printable), \(RejectionSummary.sentence(counts)), see why with 'funnel ingest --dry-run'"
      )
    }
    if counts.rejectedCount > 0 { Console.note("funnel: \(RejectionSummary.sentence(counts))") }
    return statistics
  }
}
