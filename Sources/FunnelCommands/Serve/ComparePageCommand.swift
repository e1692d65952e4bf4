import ArgumentParser
import FunnelKit
import FunnelModel
import FunnelRendering
import FunnelReports

/// The internal command that prints the page of a comparison for `funnel serve`. Without sides the page offers some.
struct ComparePageCommand: ParsableCommand {
  /// The first word of its command line.
  static let word = "serve-compare"

  static let configuration = CommandConfiguration(commandName: word)

  /// The flow of the page.
  @Option(help: .hidden)
  var pageFlow: String

  /// The query of the page's URL.
  @Option(help: .hidden)
  var pageQuery = ""

  @OptionGroup var compare: CompareCommand

  func run() throws {
    guard compare.inputs.isEmpty else { throw FunnelError(.usage, "a page of a comparison has no inputs, leave them out") }
    guard let parameters = URLText.parameters(pageQuery.drop { $0 == "?" }) else {
      throw FunnelError(.usage, "not a query of a URL, --page-query \(pageQuery.printable)")
    }
    guard let flow = FlowReference(pageFlow) else {
      throw FunnelError(.usage, "not a flow, --page-flow \(pageFlow.printable), write it as APP/FLOW or APP/FLOW@VERSION")
    }
    let request = try ServedRequest(parameters, for: .comparison)
    var command = compare
    if command.adHoc.steps == nil {
      command.query.flow.append("\(flow)")
    } else {
      // An ad-hoc flow belongs to the app, not to the flow of the page.
      command.app = command.app ?? flow.app
    }
    var links = PageLinks(flow: flow, report: nil, request: request)
    links.isComparison = true
    guard command.sides.hasDifference else { return Console.print(try offers(of: command, flow, links)) }
    let (response, plan) = try command.response()
    var page = ServedPage(try plan.comparison(of: response))
    page.reports = links.reports(afterFirst: response.definitions.first?.steps.first?.id)
    // Errors are ignored: a page without suggestions is better than no page.
    let keys = (try? OfferedKey.keys(valuesMax: PageControls.valuesMax, of: response, from: command.source.reader())) ?? []
    page.controls = PageControls(request: request, keys: keys)
      .controls(comparing: flow, metrics: Self.metrics(of: response.definitions))
    page.views = SavedViewsReader.menu(ofStore: compare.store.path, in: response.flows.catalog)
    page.command = links.command
    page.optionControl = links.options.control
    page.notes = try response.pageNotes() + (plan.hasOverlap ? [ComparisonPlan.overlapNote] : [])
    Console.print(page.rendered(script: ServedScript.text))
  }

  /// Returns the names of the metrics that a verdict about some flow versions can be about.
  private static func metrics(of flows: [FlowDefinition]) -> [String] {
    var names = ["conversion"]
    for flow in flows {
      let between = flow.requiredSteps.dropFirst().dropLast().map { "reached:\(flow.steps[$0].id)" }
      names += (between + flow.permissions.map { "grant_rate:\($0.name)" }).filter { !names.contains($0) }
    }
    return names
  }

  /// Returns the page that offers sides to compare.
  private func offers(of command: CompareCommand, _ flow: FlowReference, _ links: PageLinks) throws -> String {
    let selection = ReportSelection(FunnelReport.self)
    let reader = try command.source.reader()
    var query = try command.query.query()
    try command.adHoc.apply(to: &query)
    let response = try reader.response(to: query, selection)
    let keys = (try? OfferedKey.keys(valuesMax: ComparisonLimits.sidesMax, of: response, from: reader)) ?? []
    func link(_ title: String, _ options: [(String, String)]) -> PageLink {
      let request = options.reduce(links.request) { $0.adding($1.0, $1.1) }
      return PageLink(title, to: ServedPath.comparison(flow).description + request.query)
    }
    var page = ComparisonOffers(title: response.definitions.last?.title ?? "\(flow)")
    page.reports = links.reports(afterFirst: response.definitions.first?.steps.first?.id)
    page.keys = keys.filter { $0.values.count > 1 }.map { key in
      link("\(key.name): \(key.values.joined(separator: ", "))", [("by", key.name)])
    }
    let versions = response.definitions.map(\.version).sorted().map(String.init)
    if versions.count > 1 {
      page.versions = [link("Versions \(versions.joined(separator: " and "))", [("versions", versions.joined(separator: ","))])]
    }
    page.periods = [("7 days", "7d"), ("30 days", "30d")].map { name, span in
      link("The last \(name) and the \(name) before", [("since", span), ("versus", "previous")])
    }
    return page.rendered()
  }
}
