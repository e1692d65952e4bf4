import ArgumentParser
import FunnelHistories
import FunnelIndex
import FunnelModel
import FunnelReports

/// What `funnel serve` runs to make a page in a process of its own. It is no command for people: help, manual and completions lack it.
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

  func run() throws {
    guard let name = pageFlow, let flow = FlowReference(name) else { return try printFlows() }
    var command = report
    command.query.flow = [name]
    let (selection, rest) = command.selectionAndInputs()
    guard rest.isEmpty else { throw FunnelError(.usage, "no such report, \(rest[0].printable)") }
    let asked = try ServedQuestion(URLText.parameters(pageQuery.drop { $0 == "?" }) ?? [])
    // Steps of one's own are of an app, not of a flow.
    let source = command.source([], for: selection)
    var answer = try source.answer(to: try command.question(for: selection), selection)
    try answer.explainEmptiness()
    var page = ServedPage(answer.report)
    let links = PageLinks(flow: flow, report: selection.names.count == 1 ? selection.names[0] : nil, asked: asked)
    page.reports = links.reports(afterFirst: answer.definitions.first?.steps.first?.id)
    page.controls = PageControls(asked: asked, keys: (try? answer.contents.keys(valuesMax: PageControls.valuesMax)) ?? [])
      .controls(for: selection)
    page.files = links.files
    page.command = links.command
    page.notes =
      try answer.damage == nil ? (answer.unknownKeys?.notes() ?? []) + answer.unknownEvents() + answer.unknownAnswers() : []
    Console.print(page.rendered(script: ServedScript.text))
  }

  /// Prints the page of all flows.
  private func printFlows() throws {
    let selection = ReportSelection(FunnelReport.self)
    let answer = try report.source([], for: selection).answer(to: try report.question(for: selection), selection)
    let flows = answer.definitions.map { flow in
      let reference = FlowReference(app: flow.app, flow: flow.flow, version: flow.version)
      return (
        key: RowKey(app: flow.app, flow: flow.flow, version: flow.version, segment: []),
        flow: FlowsPage.Flow(
          title: flow.title.isEmpty ? flow.flow : flow.title, name: "\(flow.app)/\(flow.flow) v\(flow.version)",
          target: ServedPath.flow(reference, report: nil).description)
      )
    }
    Console.print(FlowsPage(answer.report, flows: flows).rendered(script: ServedScript.text))
  }
}
