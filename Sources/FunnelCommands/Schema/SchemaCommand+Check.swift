import ArgumentParser
import FunnelKit
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
          Console.printError(error.message)
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
      let inference = Inference(paths: against, imports: imports.settings, app: try AppName.checked(app))
      let comparison = try inference.comparison(with: catalog, at: try clock.present(), monitor: Console.monitor)
      Console.print(comparison.text)
      if let error = comparison.error { throw error }
    }
  }
}

/// The result of checking flow definitions (`funnel schema check`).
struct SchemaCheckResult {
  /// The problems of each definition, and the findings of a strict check.
  private var files: [(outcome: SchemaDirectory.Outcome, problems: [String], findings: [String])]

  /// - Parameter isStrict: Whether to also find things that are allowed but probably not intended.
  init(of outcomes: [SchemaDirectory.Outcome], isStrict: Bool) {
    var pathByReference: [String: String] = [:]
    files = outcomes.map { outcome in
      switch outcome.result {
      case .failure: return (outcome, outcome.problemLines, [])
      case .success(let file):
        let reference = file.definition.reference
        let first = pathByReference[reference, default: outcome.path]
        pathByReference[reference] = first
        guard first != outcome.path else { return (outcome, [], []) }
        let problem =
          "\(outcome.path.printable):1:1: $: \(reference) is also defined by \(first.printable), remove one of the files"
        return (outcome, [problem], [])
      }
    }
    if isStrict { addFindings() }
  }

  /// The result as text, with a line for each valid definition, each problem and each finding.
  var text: String {
    files.flatMap { outcome, problems, findings in
      guard problems.isEmpty, findings.isEmpty, case .success(let file) = outcome.result else { return problems + findings }
      return ["ok \(outcome.path.printable) \(file.definition.reference)"]
    }.map { $0 + "\n" }.joined()
  }

  /// The error with the number of problems and findings, or `nil` if there are none.
  var error: FunnelError? {
    let problemCount = files.reduce(0) { $0 + $1.problems.count }
    let findingCount = files.reduce(0) { $0 + $1.findings.count }
    let counts = [(problemCount, "problem"), (findingCount, "finding")].filter { $0.0 > 0 }.map(Quantity.counted)
    guard !counts.isEmpty else { return nil }
    let affected = files.count { !$0.problems.isEmpty || !$0.findings.isEmpty }
    let remedy =
      problemCount == 0 ? "fix the problems above, or run it without --strict" : "fix the problems above and run it again"
    let all = Quantity.counted(files.count, "file")
    return FunnelError(.configuration, "\(counts.joined(separator: " and ")) in \(affected) of \(all), \(remedy)")
  }

  /// Adds the findings of a strict check of the valid definitions, together with the built-in flows of the same
  /// apps that they do not replace.
  private mutating func addFindings() {
    let sound: [(index: Int, file: FlowFile)] = files.indices.compactMap { index in
      guard files[index].problems.isEmpty, case .success(let file) = files[index].outcome.result else { return nil }
      return (index, file)
    }
    let apps = Set(sound.map(\.file.definition.app))
    let references = Set(sound.map(\.file.definition.reference))
    let others = BuiltInSchemas.flowFiles.filter {
      apps.contains($0.definition.app) && !references.contains($0.definition.reference)
    }
    let findings = FlowFindings.findings(in: sound.map(\.file), beside: others)
    for ((index, _), found) in zip(sound, findings) { files[index].findings = found.map(\.description) }
  }
}
