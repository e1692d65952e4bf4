import ArgumentParser
import FunnelSequences
import FunnelIndex
import FunnelKit
import FunnelModel
import FunnelRendering
import FunnelReports

/// The internal command that prints one page for `funnel serve`. A worker process (``PageWorker``) runs it.
///
/// It is not part of the help, the manual or the completions.
struct PageCommand: ParsableCommand {
  /// The first word of its command line.
  static let word = "serve-page"

  static let configuration = CommandConfiguration(commandName: "report")

  /// Parses a command line, or returns `nil` if it is not that of this command.
  static func parsed(_ arguments: ArraySlice<String>) throws -> (any ParsableCommand)? {
    arguments.first == word ? try PageCommand.parse(Array(arguments.dropFirst())) : nil
  }

  @OptionGroup var report: ReportCommand

  /// The flow of the page, or `nil` for the page of all flows.
  @Option(help: .hidden)
  var pageFlow: String?

  /// The query of the page's URL.
  @Option(help: .hidden)
  var pageQuery = ""

  /// Whether the page of all flows includes those without entries.
  @Flag(help: .hidden)
  var pageAll = false

  func run() throws {
    let asked = try ServedRequest(URLText.parameters(pageQuery.drop { $0 == "?" }) ?? [])
    guard let name = pageFlow, let flow = FlowReference(name) else { return try printFlows(asked) }
    var command = report
    // If the options select another flow too, the command fails with an error for it.
    command.query.flow.append(name)
    let (selection, rest) = command.selectionAndInputs()
    guard rest.isEmpty else { throw FunnelError(.usage, "no such report, \(rest[0].printable)") }
    // An ad-hoc flow (--steps) belongs to an app, not to the flow of the page.
    let source = command.source([], for: selection)
    let question = try command.question(for: selection)
    var answer = try source.reader().response(to: question, selection)
    try answer.explainEmptiness()
    var page = ServedPage(answer.report)
    let links = PageLinks(flow: flow, report: selection.names.count == 1 ? selection.names[0] : nil, asked: asked)
    page.reports = links.reports(afterFirst: answer.definitions.first?.steps.first?.id)
    let known = (try? answer.contents.keys(valuesMax: PageControls.valuesMax)) ?? []
    // Errors are ignored: a page without suggestions is better than no page.
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

  /// Prints the page that lists the flows.
  private func printFlows(_ asked: ServedRequest) throws {
    let selection = ReportSelection(FunnelReport.self)
    var question = try report.question(for: selection)
    // Each flow has one row. The segments are shown on its own page.
    question.by = []
    let answer = try report.source([], for: selection).reader().response(to: question, selection)
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
