import ArgumentParser
import FunnelKit
import FunnelModel

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

    @Option(help: ArgumentHelp("Step that is the goal of the flow (default: guessed).", valueName: "step"))
    var goal: String?

    @OptionGroup var clock: ClockOption

    func run() throws {
      let app = try AppName.checked(app)
      if let flow, FlowReference("x/\(flow)") == nil {
        throw FunnelError(
          .usage,
          "not a flow, --flow \(flow.printable), write lower-case letters, digits and underscores, beginning with a letter")
      }
      let shareMin = try minShare.map { (text) throws(FunnelError) in try RateOption.rate(text, option: "--min-share") }
      let inference = Inference(paths: inputs, imports: imports.settings, app: app)
      let draft = try inference.flow(
        named: flow, goal: goal, shareMin: shareMin, at: try clock.present(), monitor: Console.monitor)
      Console.comments(draft.evidence)
      Console.print(draft.json)
      if let decision = draft.decision { throw FunnelError(.unusableInput, decision) }
    }
  }
}
