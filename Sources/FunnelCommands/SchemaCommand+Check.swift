import ArgumentParser
import FunnelModel
import FunnelSchemas

extension SchemaCommand {
  /// `funnel schema check`: every mistake of some definitions.
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Check flow definitions and report every mistake in them.",
      discussion: """
        Prints a line for each sound file and each mistake: FILE:LINE:COLUMN: JSON path: what is wrong, what is allowed.
        Exits with 78 if anything is wrong.

        EXAMPLE
          funnel schema check Schemas/flows
          funnel schema check my-flows/cleaner.permissions_flow.v2.json

        \(ExitStatus.section(.noInput, .inputOutput, .configuration))
        """)

    @Argument(
      help: ArgumentHelp("Flow definitions, or directories of them.", valueName: "file"),
      completion: .file(extensions: ["json"]))
    var paths: [String]

    func run() throws {
      var tally = Tally()
      for path in paths {
        do throws(FunnelError) {
          let outcomes = try SchemaDirectory.check(path)
          guard !outcomes.isEmpty else {
            throw FunnelError(.noInput, "no flow definition, \(path.printable), name a folder that has *.json, or a file")
          }
          for outcome in outcomes { Console.print(tally.lines(for: outcome)) }
        } catch {
          Console.complain(error.message)
          tally.firstFailure = tally.firstFailure ?? error.code
        }
      }
      if tally.problemCount > 0 { throw tally.error }
      if let code = tally.firstFailure { throw ExitCode(code.rawValue) }
    }

    /// What was found so far.
    private struct Tally {
      var fileCount = 0
      var brokenFileCount = 0
      var problemCount = 0
      /// Why a file could not be read.
      var firstFailure: FunnelError.Code?
      private var pathByReference: [String: String] = [:]

      init() {}

      mutating func lines(for outcome: SchemaDirectory.Outcome) -> String {
        fileCount += 1
        let problems: [String]
        switch outcome.result {
        case .failure(let failure): problems = failure.problems.map(\.description)
        case .success(let file):
          let reference = file.definition.reference
          let first = pathByReference[reference, default: outcome.path]
          pathByReference[reference] = first
          guard first != outcome.path else { return "ok \(outcome.path.printable) \(reference)\n" }
          problems = [
            "\(outcome.path.printable):1:1: $: \(reference) is also defined by \(first.printable), remove one of the files"
          ]
        }
        brokenFileCount += 1
        problemCount += problems.count
        return problems.map { $0 + "\n" }.joined()
      }

      var error: FunnelError {
        let problems = problemCount == 1 ? "1 problem" : "\(problemCount) problems"
        let files = fileCount == 1 ? "1 file" : "\(fileCount) files"
        return FunnelError(.configuration, "\(problems) in \(brokenFileCount) of \(files), mend what is listed and check again")
      }
    }
  }
}
