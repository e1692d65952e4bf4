import ArgumentParser
import FunnelHistories
import FunnelIndex
import FunnelModel
import FunnelReports

/// The command that makes one page for `funnel serve`, in a ``PageWorker``. People do not type it, so help, manual and completions lack it.
struct PageCommand: ParsableCommand {
  /// The first word of its command line.
  static let word = "serve-page"

  static let configuration = CommandConfiguration(commandName: "report")

  /// Returns the command of a command line, or nil if it is another one's.
  static func parsed(_ arguments: ArraySlice<String>) throws -> (any ParsableCommand)? {
    arguments.first == word ? try PageCommand.parse(Array(arguments.dropFirst())) : nil
  }

  @OptionGroup var report: ReportCommand

  @Option(help: .hidden)
  var pageFlow: String?

  @Option(help: .hidden)
  var pageQuery = ""

  @Flag(help: .hidden)
  var pageAll = false

  func run() throws {
    let asked = try ServedRequest(URLText.parameters(pageQuery.drop { $0 == "?" }) ?? [])
    guard let name = pageFlow, let flow = FlowReference(name) else { return try printFlows(asked) }
    var command = report
    // A flow that is asked besides is another one's page, or none at all, which is then said.
    command.query.flow.append(name)
    let (selection, rest) = command.selectionAndInputs()
    guard rest.isEmpty else { throw FunnelError(.usage, "no such report, \(rest[0].printable)") }
    // Steps of one's own are of an app, not of a flow.
    let source = command.source([], for: selection)
    var answer = try source.answer(to: try command.question(for: selection), selection)
    try answer.explainEmptiness()
    var page = ServedPage(answer.report)
    let links = PageLinks(flow: flow, report: selection.names.count == 1 ? selection.names[0] : nil, asked: asked)
    page.reports = links.reports(afterFirst: answer.definitions.first?.steps.first?.id)
    let known = (try? answer.contents.keys(valuesMax: PageControls.valuesMax)) ?? []
    // A page without suggestions is better than none.
    let keys = (try? OfferedKey.keys(known, of: answer, from: source)) ?? []
    page.controls = PageControls(asked: asked, keys: keys)
      .controls(for: selection, of: flow, in: answer.flows.catalog, events: answer.contents.names)
    page.files = links.files
    page.command = links.command
    if answer.damage == nil {
      let ofFlow = FlowNotes(entries: answer.report.entries, contents: answer.contents, catalog: answer.flows.catalog).lines
      page.notes = try (answer.unknownKeys?.notes() ?? []) + answer.unknownEvents() + answer.unknownAnswers() + ofFlow
    }
    Console.print(page.rendered(script: ServedScript.text))
  }

  /// Prints the page of all flows.
  private func printFlows(_ asked: ServedRequest) throws {
    let selection = ReportSelection(FunnelReport.self)
    var question = try report.question(for: selection)
    // A flow has one row; its page has the segments.
    question.by = []
    let answer = try report.source([], for: selection).answer(to: question, selection)
    let flows = answer.definitions.map { flow in
      let reference = FlowReference(app: flow.app, flow: flow.flow, version: flow.version)
      return (
        key: RowKey(app: flow.app, flow: flow.flow, version: flow.version, segment: []),
        flow: FlowsPage.Flow(
          title: flow.title.isEmpty ? flow.flow : flow.title, name: "\(flow.app)/\(flow.flow) v\(flow.version)",
          target: ServedPath.flow(reference, report: nil).description + asked.query)
      )
    }
    var page = FlowsPage(answer.report, flows: flows)
    page.controls = PageControls(asked: asked).ofAllFlows
    page.all = pageAll ? nil : ServedPath.allFlows.description + asked.query
    Console.print(page.rendered(script: ServedScript.text))
  }
}
