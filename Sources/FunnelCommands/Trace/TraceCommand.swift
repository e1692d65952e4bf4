import ArgumentParser
import FunnelKit
import FunnelModel
import FunnelReports

/// The `funnel trace` command: shows the events of one subject or one person, and the effect of each on its flows.
struct TraceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Show all events of a subject or person, with the effect of each: steps, matches, answers, broken rules.",
    discussion: """
      A subject is a device or an install. A person has the events of all its subjects; name it with --person, as 'funnel groups' \
      lists it. The effects of a person are those in flows that count persons or entries. If several persons use a subject, each \
      line names its person, and each person has its own effects in these flows.

      If the store holds pseudonyms, give the raw id or its pseudonym; the store's key translates raw ids.

      EXAMPLE
        funnel trace inst_30fc8e658a716e5b
        funnel trace inst_30fc8e658a716e5b logs/ --flow clarity/onboarding --format json
        funnel trace --person account-42

      \(ExitStatus.section(.unusableInput, .noInput, .inputOutput, .configuration, special: [.noInput: "no such input, or no event of the subject or the person"]))
      """)

  @Argument(help: ArgumentHelp("The subject, written exactly as in the events.", valueName: "subject"))
  var subject: String?

  @Argument(help: ArgumentHelp("Files or folders to read instead of the store.", valueName: "input"), completion: .file())
  var inputs: [String] = []

  @Option(
    name: .customLong("person"),
    help: ArgumentHelp("The events of all subjects of this person instead; all other names are inputs.", valueName: "person"))
  var persons: [String] = []

  /// The person, or `nil` for a trace of a subject.
  private var person: String? { persons.first }

  @OptionGroup var store: StoreOption
  @OptionGroup var key: KeyFileOption
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

  func validate() throws {
    if persons.count > 1 { throw ValidationError("--person is given \(persons.count) times; trace one person at a time") }
    if subject == nil, person == nil { throw ValidationError("no subject given; name one, or a person with --person") }
  }

  func run() throws {
    let format = try ChoiceOption.choice(self.format, option: "--format") ?? TraceText.Format.table
    // Beside a person, the first name is an input like the others.
    let inputs = person == nil ? inputs : (subject.map { [$0] } ?? []) + inputs
    let source = ReportSource(
      inputs: inputs, app: app, store: store, schemas: schemas, query: query, threads: threads, memory: memory, imports: imports
    )
    Console.print(TraceText.text(try source.trace(ofPerson: person, orSubject: subject, keyFile: key.keyFile), format))
  }
}

extension ReportSource {
  /// Returns the events of a person, or those of a subject if there is no person.
  func trace(ofPerson person: String?, orSubject subject: String?, keyFile: String? = nil) throws -> SubjectTrace {
    try check()
    let query = try query.query()
    let reader = try reader()
    if let person { return try reader.trace(ofPerson: person, query, keyFile: keyFile) }
    guard let subject else { preconditionFailure("a trace without a person has a subject") }
    return try reader.trace(of: subject, query, keyFile: keyFile)
  }
}
