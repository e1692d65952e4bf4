import ArgumentParser
import FunnelKit
import FunnelModel
import FunnelReports

/// The `funnel trace` command: shows the events of one subject and the effect of each on its flows.
struct TraceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Show all events of one subject in order, with the effect of each: steps, matches, answers, broken rules.",
    discussion: """
      EXAMPLE
        funnel trace inst_30fc8e658a716e5b
        funnel trace inst_30fc8e658a716e5b logs/ --flow clarity/onboarding --format json

      \(ExitStatus.section(.unusableInput, .noInput, .inputOutput, .configuration, special: [.noInput: "no such input, or no event of the subject"]))
      """)

  @Argument(help: ArgumentHelp("The subject, written exactly as in the events.", valueName: "subject"))
  var subject: String

  @Argument(help: ArgumentHelp("Files or folders to read instead of the store.", valueName: "input"), completion: .file())
  var inputs: [String] = []

  @OptionGroup var store: StoreOption
  @OptionGroup var query: QueryOptions
  @OptionGroup var schemas: SchemaOption
  @OptionGroup var threads: ThreadsOption
  @OptionGroup var memory: MemoryOption
  @OptionGroup var imports: ImportOptions

  @Option(
    help: ArgumentHelp("table (default) or json, one object per line.", valueName: "format"),
    completion: .list(TraceText.Format.allCases.map(\.rawValue)))
  var format: String?

  @Option(help: ArgumentHelp("App of events in INPUT that don't name one.", valueName: "app"), completion: Completions.apps)
  var app: String?

  func run() throws {
    let format = try ChoiceOption.choice(self.format, option: "--format") ?? TraceText.Format.table
    let source = ReportSource(
      inputs: inputs, app: app, store: store, schemas: schemas, query: query, threads: threads, memory: memory, imports: imports
    )
    try source.check()
    let query = try query.query()
    let trace = try source.reader().trace(of: subject, query)
    Console.print(TraceText.text(trace, format))
  }
}
