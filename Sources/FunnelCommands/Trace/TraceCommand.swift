import FunnelDecoding
import FunnelIngest
import ArgumentParser
import FunnelIndex
import FunnelIngest
import FunnelKit
import FunnelModel
import FunnelRendering
import FunnelReports
import FunnelSchemas
import FunnelStore

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
    let asked = try query.query()
    let (events, flows) = inputs.isEmpty ? try fromStore(source, asked) : try fromFiles(source, asked)
    guard !events.isEmpty else {
      throw FunnelError(
        .noInput,
        "no event of this subject, \(subject.printable), list subjects with 'funnel groups entered --flow APP/FLOW --limit 5'")
    }
    let trace = SubjectTrace(events, catalog: flows.catalog, flows: flows.indices, query: asked)
    Console.print(TraceText.text(trace, format))
  }

  /// Returns the events of the subject in the store, and the flows.
  private func fromStore(_ source: ReportSource, _ asked: ReportQuery) throws -> ([SubjectEvent], ReportFlows) {
    let flows = try ReportFlows(of: asked, in: schemas.catalog(store: store.path), flows: query.flow, app: nil)
    let events = try StoreReader.retrying(store.path, asOf: asked.asOf) { (reader) throws(FunnelError) in
      // The index lists the days of the subject. Without a usable index, every day is read.
      let index = EventIndex.open(for: reader).flatMap { try? $0.completed(with: reader, threads: threads.count) }
      let days = index.flatMap { try? $0.days(ofSubject: subject) }
      return try FunnelError.catching {
        try SubjectEvents.ofStore(
          reader, subject: subject, until: asked.now, catalog: flows.catalog, threads: threads.count,
          where: { day in days.map { $0.contains(day) } ?? true })
      }
    }
    return (events, flows)
  }

  /// Returns the events of the subject in the files, and the flows.
  private func fromFiles(_ source: ReportSource, _ asked: ReportQuery) throws -> ([SubjectEvent], ReportFlows) {
    let flows = try ReportFlows(of: asked, in: schemas.catalog(), flows: query.flow, app: nil)
    let options = try source.files.decoding(now: asked.now)
    let (events, refused) = try SubjectEvents.ofFiles(
      source.files.files(), subject: subject, options: options, catalog: flows.catalog, threads: threads.count)
    if refused > 0 {
      Console.note(
        "funnel: \(Quantity.count(refused)) \(refused == 1 ? "line was" : "lines were") rejected; they may be of this or of other subjects"
      )
    }
    return (events, flows)
  }
}
