import ArgumentParser
import FunnelIngest
import FunnelModel
import FunnelSchemas

extension SchemaCommand {
  /// The `funnel schema check` command, which lists every mistake in flow definitions.
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check flow definitions and report every mistake in them.",
      discussion: """
        Prints a line for each sound file and each mistake: FILE:LINE:COLUMN: JSON path: what is wrong, what is allowed.
        With --strict it also prints what is allowed and hardly meant: events that two flows of an app declare (of the files \
        and of the built-in flows), steps nobody can enter, outcomes and rules that no event can fulfil.
        Exits with 78 if anything is listed.

        With --against the definitions are compared with events: steps nobody enters, steps that most enter before the one in front, \
        names that are nearly declared, answers to permissions that no flow knows. Exits with 65 if anything is found.

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

    @Flag(help: "List also what is no mistake, but misleads: shared events, steps nobody can enter.")
    var strict = false

    @Option(
      help: ArgumentHelp("Compare the definitions with the events of this input (repeatable).", valueName: "input"),
      completion: .file())
    var against: [String] = []

    @OptionGroup var imports: ImportOptions

    @Option(help: ArgumentHelp("App of events that name none.", valueName: "app"), completion: Completions.apps)
    var app: String?

    @OptionGroup var clock: ClockOption

    func run() throws {
      var outcomes: [SchemaDirectory.Outcome] = []
      /// The code of the first path that could not be read.
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

    /// Compares the definitions with events, and prints what is found.
    private func compare(_ outcomes: [SchemaDirectory.Outcome]) throws {
      let files = outcomes.compactMap { try? $0.result.get() }
      let catalog = try FlowCatalog(layers: [files])
      let census = try LogCensus.take(
        against, imports: imports, app: try AppOption.checked(app), now: try clock.present(), catalog: catalog)
      let comparison = LogComparison(LogFindings(census, catalog: catalog), catalog: catalog)
      Console.print(comparison.text)
      if let error = comparison.error { throw error }
    }
  }
}
