import ArgumentParser
import FunnelKit
import FunnelModel

/// The `funnel map` command: groups the subcommands for mappings of imported records.
struct MapCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "map",
    abstract: "Draft a mapping for another product's events, or list those that ship with the program.",
    discussion: """
      EXAMPLE
        funnel map init export.zip > todo.map.json
        funnel map list
        funnel report events.csv --map builtin:umami --app site

      \(ExitStatus.section())
      """,
    subcommands: [Init.self, List.self, Show.self])

  /// The `funnel map init` command: prints a draft mapping with every event name of an input.
  struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print a mapping with every event name in the input, its count and a guess.",
      discussion: """
        The mapping is printed as JSON and can be used as it is; notes on how it was guessed go to standard error. Edit it: rename \
        events, write null for those to leave out, then use it with --map of 'funnel ingest', 'report' or 'schema infer'.

        EXAMPLE
          funnel map init export.zip > todo.map.json
          funnel schema infer export.zip --map todo.map.json > flows/todo.json
          funnel report export.zip --map todo.map.json --schemas flows

        \(ExitStatus.section(.unusableInput, .noInput, .inputOutput, .configuration))
        """)

    @Argument(
      help: ArgumentHelp("Files, folders, or - for standard input.", valueName: "input"), completion: .file())
    var inputs: [String]

    @OptionGroup var imports: ImportOptions

    @Option(help: ArgumentHelp("App of the events (default: guessed).", valueName: "app"), completion: Completions.apps)
    var app: String?

    @Option(help: ArgumentHelp("Column or key of the person (default: guessed).", valueName: "column"))
    var subject: String?

    @Option(help: ArgumentHelp("Column or key of the time (default: guessed).", valueName: "column"))
    var ts: String?

    @Option(help: ArgumentHelp("Column or key of the event's name (default: guessed).", valueName: "column"))
    var name: String?

    @Option(help: ArgumentHelp("Field whose new values are the events, in a log of changes of fields.", valueName: "name"))
    var field: String?

    @Option(help: ArgumentHelp("Names of the columns of a table without a header, with commas.", valueName: "names"))
    var header: String?

    @Option(
      help: ArgumentHelp("Encoding of the input, such as windows-1251 or shift_jis (default: guessed).", valueName: "encoding"),
      completion: .list(TextEncoding.allCases.map(\.rawValue)))
    var encoding: String?

    func run() throws {
      var columns = GivenColumns()
      (columns.subject, columns.timestamp, columns.name) = (subject, ts, name)
      columns.field = field
      columns.header = header?.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      if let encoding {
        guard let known = TextEncoding(rawValue: encoding.lowercased()) else {
          let names = TextEncoding.allCases.map(\.rawValue)
          let nearest = NearestName.find(encoding.lowercased(), in: names).map { "did you mean \($0)?" }
          throw FunnelError(
            .usage, "unknown encoding, \(encoding.printable), \(nearest ?? "give one of \(names.joined(separator: ", "))")")
        }
        columns.encoding = known
      }
      let inference = Inference(paths: inputs, imports: imports.settings, app: try AppName.checked(app))
      let draft = try inference.mapping(columns: columns, monitor: Console.monitor)
      Console.comments(draft.evidence)
      Console.print(draft.json)
      if let decision = draft.decision { throw FunnelError(.unusableInput, decision) }
    }
  }
}
