import ArgumentParser
import FunnelKit
import FunnelModel
import FunnelRendering
import FunnelReports

/// The internal command that prints the people behind a number for `funnel serve`, as a page or as CSV.
struct PeopleCommand: ParsableCommand {
  /// The first word of its command line.
  static let word = "serve-people"

  static let configuration = CommandConfiguration(commandName: word)

  @Option(help: .hidden)
  var state: String?

  /// The query of the page's URL.
  @Option(help: .hidden)
  var pageQuery = ""

  /// The number of the first person of the page, from 0.
  @Option(help: .hidden)
  var start: Int?

  /// Whether to print CSV.
  @Flag(help: .hidden)
  var table = false

  @OptionGroup var groups: GroupsCommand

  func validate() throws {
    if let start, start < 0 { throw ValidationError("start=\(start), give 0 or more") }
  }

  func run() throws {
    guard groups.inputs.isEmpty else { throw FunnelError(.usage, "a list of people has no inputs, leave them out") }
    let state = try Self.state(state)
    let (read, query) = try groups.people(state)
    guard !table else { return Console.print(read.result.csv()) }
    guard let parameters = URLText.parameters(pageQuery.drop { $0 == "?" }) else {
      throw FunnelError(.usage, "not a query of a URL, --page-query \(pageQuery.printable)")
    }
    let request = try ServedRequest(parameters, for: .people)
    let options = request.without(ServedRequest.namesOfPeople)
    let flow = read.result.flow
    var page = PeoplePage(read.result, from: start ?? 0) { name in
      ServedPath.trace.description
        + options.only(ServedRequest.commonNames).without(["flow"]).adding(
          query.unit(of: flow).isOfPersons ? "person" : "subject", name
        ).query
    }
    let reference = FlowReference(app: flow.app, flow: flow.flow, version: flow.version)
    if query.steps.isEmpty {
      page.report = PageLink(
        "Back to the flow", to: ServedPath.flow(reference, report: nil).description + options.without(["flow"]).query)
    }
    page.file = PageLink("All as CSV", to: ServedPath.peopleFile.description + request.without(["start"]).query)
    if page.hasNext {
      page.next =
        ServedPath.people.description
        + request.without(["start"]).adding("start", String((start ?? 0) + PeoplePage.peopleMax)).query
    }
    page.command = (["funnel", "groups"] + (self.state.map { [$0] } ?? []) + request.without(["state", "start"]).words)
      .map(CommandHint.quoted).joined(separator: " ")
    page.notes =
      read.damage == nil ? read.unknownKeys.notes() : ["the log is damaged: people of events that can't be read are missing"]
    Console.print(page.rendered())
  }

  private static func state(_ name: String?) throws(FunnelError) -> GroupState? {
    guard let name else { return nil }
    if let state = GroupState(rawValue: name) { return state }
    let all = GroupState.allCases.map(\.rawValue).joined(separator: ", ")
    let advice = GroupState.nearestName(to: name).map { "did you mean \($0)?" } ?? "give one of \(all)"
    throw FunnelError(.usage, "no such state, \(name.printable), \(advice)")
  }
}

/// The internal command that prints the events of a person or a subject for `funnel serve`.
struct TracePageCommand: ParsableCommand {
  /// The first word of its command line.
  static let word = "serve-trace"

  static let configuration = CommandConfiguration(commandName: word)

  @Option(help: .hidden)
  var subject: String?

  @Option(help: .hidden)
  var person: String?

  /// The query of the page's URL.
  @Option(help: .hidden)
  var pageQuery = ""

  @OptionGroup var store: StoreOption
  @OptionGroup var query: QueryOptions
  @OptionGroup var schemas: SchemaOption
  @OptionGroup var threads: ThreadsOption
  @OptionGroup var memory: MemoryOption
  @OptionGroup var imports: ImportOptions

  func run() throws {
    guard let name = person ?? subject else {
      throw FunnelError(.usage, "no person given, write person=NAME, or subject=NAME")
    }
    guard let parameters = URLText.parameters(pageQuery.drop { $0 == "?" }) else {
      throw FunnelError(.usage, "not a query of a URL, --page-query \(pageQuery.printable)")
    }
    let request = try ServedRequest(parameters, for: .trace)
    let source = ReportSource(
      inputs: [], app: nil, store: store, schemas: schemas, query: query, threads: threads, memory: memory, imports: imports)
    var page = TracePage(try source.trace(ofPerson: person, orSubject: subject), of: name)
    let words = ["funnel", "trace"] + (person == nil ? [name] : []) + request.without(["subject"]).words
    page.command = words.map(CommandHint.quoted).joined(separator: " ")
    Console.print(page.rendered())
  }
}
