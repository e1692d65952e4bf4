import ArgumentParser
import FunnelKit
import FunnelModel
import FunnelReports

/// The internal command that prints one page for `funnel serve`. A worker process (``PageWorker``) runs it.
///
/// It is not part of the help, the manual or the completions.
struct PageCommand: ParsableCommand {
  /// The first word of its command line.
  static let word = "serve-page"

  static let configuration = CommandConfiguration(commandName: "report")

  /// Parses a command line of a page, or returns `nil` if it is none.
  static func parsed(_ arguments: ArraySlice<String>) throws -> (any ParsableCommand)? {
    let others = Array(arguments.dropFirst())
    return switch arguments.first {
    case word: try PageCommand.parse(others)
    case ComparePageCommand.word: try ComparePageCommand.parse(others)
    case PeopleCommand.word: try PeopleCommand.parse(others)
    case TracePageCommand.word: try TracePageCommand.parse(others)
    case ExploreCommand.word: try ExploreCommand.parse(others)
    default: nil
    }
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
    // The server writes both options itself, so a malformed one is a mistake of another caller.
    guard let parameters = URLText.parameters(pageQuery.drop { $0 == "?" }) else {
      throw FunnelError(.usage, "not a query of a URL, --page-query \(pageQuery.printable)")
    }
    let request = try ServedRequest(parameters)
    guard let pageFlow else { return try printFlows(request) }
    guard let flow = FlowReference(pageFlow) else {
      throw FunnelError(.usage, "not a flow, --page-flow \(pageFlow.printable), write it as APP/FLOW or APP/FLOW@VERSION")
    }
    try printPage(of: flow, request)
  }

  /// Prints the page of a flow.
  private func printPage(of flow: FlowReference, _ request: ServedRequest) throws {
    var command = report
    let (selection, otherWords) = command.selectionAndInputs()
    guard otherWords.isEmpty else { throw FunnelError(.usage, "no such report, \(otherWords[0].printable)") }
    if command.adHoc.steps == nil || selection.isOfNext {
      // If the options select another flow too, the command fails with an error for it.
      command.query.flow.append("\(flow)")
    } else {
      // An ad-hoc flow belongs to the app, not to the flow of the page.
      command.app = command.app ?? flow.app
    }
    let reader = try command.source([], for: selection).reader()
    // The notes of the page name unknown answers.
    let response = try reader.response(to: command.query(for: selection), selection).explained(namesUnknownAnswers: false)
    let links = PageLinks(flow: flow, report: selection.names.count == 1 ? selection.names[0] : nil, request: request)
    var shown = response.report
    PeriodChange.add(to: &shown, by: reader)
    TrendMarks.add(to: &shown, selection: selection, by: reader)
    shown.targetOfConditions = { links.overview(where: $0) }
    var page = ServedPage(shown)
    page.reports = links.reports(afterFirst: response.definitions.first?.steps.first?.id)
    // Errors are ignored: a page without suggestions is better than no page.
    let keys = (try? OfferedKey.keys(valuesMax: PageControls.valuesMax, of: response, from: reader)) ?? []
    page.controls = PageControls(request: request, keys: keys)
      .controls(for: selection, of: flow, in: response.flows.catalog, events: response.eventNames)
    page.views = SavedViewsReader.menu(ofStore: report.store.path, in: response.flows.catalog)
    page.files = links.files
    page.command = links.command
    page.peopleTarget = links.people(by: response.report.query.by)
    page.optionControl = links.options.control
    page.notes = try response.pageNotes()
    Console.print(page.rendered(script: ServedScript.text))
  }

  /// Prints the page that lists the flows.
  private func printFlows(_ request: ServedRequest) throws {
    let selection = ReportSelection(FunnelReport.self)
    var query = try report.query(for: selection)
    // Each flow has one row. The segments are shown on its own page.
    query.by = []
    let response = try report.source([], for: selection).reader().response(to: query, selection)
    let flows = response.definitions.map { flow in
      let reference = FlowReference(app: flow.app, flow: flow.flow, version: flow.version)
      return (
        key: RowKey(app: flow.app, flow: flow.flow, version: flow.version, segment: []),
        flow: FlowsPage.Flow(
          title: flow.title.isEmpty ? flow.flow : flow.title, name: "\(flow.app)/\(flow.flow) v\(flow.version)",
          target: ServedPath.flow(reference, report: nil).description + request.query)
      )
    }
    var page = FlowsPage(response.report, flows: flows)
    page.views = SavedViewsReader.menu(ofStore: report.store.path, in: response.flows.catalog)
    page.controls = PageControls(request: request).ofAllFlows
    page.optionControl = PageOptions(path: pageAll ? .allFlows : .flows, request: request).control
    page.all = pageAll ? nil : ServedPath.allFlows.description + request.query
    Console.print(page.rendered(script: ServedScript.text))
  }
}
