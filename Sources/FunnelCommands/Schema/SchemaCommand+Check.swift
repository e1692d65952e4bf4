import ArgumentParser
import FunnelIngest
import FunnelModel
import FunnelSchemas

extension SchemaCommand {
  /// The `funnel schema check` command: lists every mistake in flow definitions.
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check flow definitions and report every mistake in them.",
      discussion: """
        Prints one line per valid file and one per mistake: FILE:LINE:COLUMN: JSON path: what is wrong, what is allowed.
        With --strict it also lists things that are allowed but probably not intended: events that two flows of an app declare (built-in \
        flows included), steps that nobody can enter, outcomes and rules that no event can match.
        Exits with 78 if there is a mistake or anything else is listed.

        With --against the definitions are compared with events. It lists steps that nobody enters, steps that most people enter before \
        the previous step, event names that nearly match a declared one, and permission answers that no flow declares. Exits with 65 if \
        it finds anything.

        EXAMPLE
          funnel schema check Schemas/flows
          funnel schema check --strict my-flows/cleaner.permissions_flow.v2.json
          funnel schema check my-flows --against export.zip --map todo.map.json

        \(ExitStatus.section(.unusableInput, .noInput, .inputOutput, .configuration))
        """)

    @Argument(
      help: ArgumentHelp("Flow definitions, or directories of them.", valueName: "file"),
      completion: .file(extensions: ["json"]))
    var paths: [String]

    @Flag(help: "Also list things that are allowed but probably not intended: shared events, steps that nobody can enter.")
    var strict = false

    @Option(
      help: ArgumentHelp("Compare the definitions with the events of this input (repeatable).", valueName: "input"),
      completion: .file())
    var against: [String] = []

    @OptionGroup var imports: ImportOptions

    @Option(help: ArgumentHelp("App of events that don't name one.", valueName: "app"), completion: Completions.apps)
    var app: String?

    @OptionGroup var clock: ClockOption

    func run() throws {
      var outcomes: [SchemaDirectory.Outcome] = []
      // The code of the first path that could not be read.
      var firstFailure: FunnelError.Code?
      for path in paths {
        do throws(FunnelError) {
          let ofPath = try SchemaDirectory.check(path)
          guard !ofPath.isEmpty else {
            throw FunnelError(.noInput, "no flow definition, \(path.printable), name a folder that has *.json, or a file")
          }
          outcomes += ofPath
        } catch {
          Console.complain(error.message)
          firstFailure = firstFailure ?? error.code
        }
      }
      let result = SchemaCheckResult(of: outcomes, isStrict: strict)
      Console.print(result.text)
      if let error = result.error { throw error }
      if let firstFailure { throw ExitCode(firstFailure.rawValue) }
      if !against.isEmpty { try compare(outcomes) }
    }

    /// Compares the definitions with the events of `--against` and prints the findings. Throws if there are any.
    private func compare(_ outcomes: [SchemaDirectory.Outcome]) throws {
      let files = outcomes.compactMap { try? $0.result.get() }
      let catalog = try FlowCatalog(layers: [files])
      let statistics = try LogStatistics.take(
        against, imports: imports, app: try AppOption.checked(app), now: try clock.present(), catalog: catalog)
      let comparison = LogComparison(LogFindings(statistics, catalog: catalog), catalog: catalog)
      Console.print(comparison.text)
      if let error = comparison.error { throw error }
    }
  }
}
