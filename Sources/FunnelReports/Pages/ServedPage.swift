import FunnelProjections

/// A report as a page of a server, with links to other reports, a form for its options, and the equivalent command.
public struct ServedPage: Sendable {
  private let report: Report
  /// Links to the reports of the flow.
  public var reports: [PageLink] = []
  /// The options of the report.
  public var controls: [PageControl] = []
  /// Links to the same numbers in formats for programs.
  public var files: [PageLink] = []
  /// The command line that prints the same report.
  public var command = ""
  /// Warnings about likely mistakes in the request or in the log.
  public var notes: [String] = []

  public init(_ report: Report) {
    self.report = report
  }

  /// Returns the page as HTML.
  ///
  /// - Parameter script: An optional enhancement of the page. The server's content security policy must allow
  ///   its hash.
  public func rendered(script: String) -> String {
    var frame = PageFrame()
    frame.lead = Self.navigation(reports) + Self.form(controls) + sources + notesList
    frame.script = script
    return PageRenderer.render(report, in: frame)
  }

  /// Returns a navigation bar with links, or an empty text if there are none.
  static func navigation(_ links: [PageLink]) -> HTMLText {
    guard !links.isEmpty else { return "" }
    let items = links.reduce("" as HTMLText) { text, link in
      let here: HTMLText = link.isHere ? " aria-current=\"page\"" : ""
      return text + "<li><a href=\"\(link.target)\"\(here)>\(link.title)</a></li>\n"
    }
    return "<nav aria-label=\"Reports\" class=\"tabs\"><ul>\n" + items + "</ul></nav>\n"
  }

  /// Returns a form that requests the same page with other options, or an empty text without controls.
  static func form(_ controls: [PageControl]) -> HTMLText {
    guard !controls.isEmpty else { return "" }
    let fields = controls.reduce("" as HTMLText) { $0 + field($1) }
    var lists: HTMLText = ""
    var listed: Set<String> = []
    // Controls with the same name share one list of suggestions.
    for case .text(let name, _, _, let suggestions, _) in controls where !suggestions.isEmpty && listed.insert(name).inserted {
      let values = suggestions.reduce("" as HTMLText) { $0 + "<option value=\"\($1)\"></option>\n" }
      lists = lists + "<datalist id=\"values-\(name)\">\n" + values + "</datalist>\n"
    }
    return "<form method=\"get\" class=\"controls\">\n" + fields + "<button type=\"submit\">Show</button>\n" + lists
      + "</form>\n"
  }

  private static func field(_ control: PageControl) -> HTMLText {
    switch control {
    case .choice(let name, let label, let values, let chosen):
      let options = values.reduce("" as HTMLText) { text, entry in
        let selected: HTMLText = entry.value == chosen ? " selected=\"selected\"" : ""
        return text + "<option value=\"\(entry.value)\"\(selected)>\(entry.label)</option>\n"
      }
      return "<label\(width(values.lazy.map(\.label.utf8.count).max() ?? 0))>\(label) <select name=\"\(name)\">\n" + options
        + "</select></label>\n"
    case .text(let name, let label, let value, let suggestions, let placeholder):
      let list: HTMLText = suggestions.isEmpty ? "" : " list=\"values-\(name)\""
      return
        "<label\(width(max(value.utf8.count, placeholder.utf8.count)))>\(label) <input type=\"text\" name=\"\(name)\" value=\"\(value)\" placeholder=\"\(placeholder)\"\(list)/></label>\n"
    case .check(let name, let label, let isOn):
      let checked: HTMLText = isOn ? " checked=\"checked\"" : ""
      return "<label class=\"check\"><input type=\"checkbox\" name=\"\(name)\" value=\"true\"\(checked)/> \(label)</label>\n"
    }
  }

  /// The maximum number of bytes in the text of a control that is one grid column wide.
  private static let oneColumnBytesMax = 14

  /// Returns the class attribute of a control with a long text, such as the name of a flow, or an empty text.
  private static func width(_ byteCount: Int) -> HTMLText { byteCount > oneColumnBytesMax ? " class=\"long\"" : "" }

  private var notesList: HTMLText {
    notes.reduce("") { $0 + "<p class=\"warning\">\(.isolated($1))</p>\n" }
  }

  private var sources: HTMLText {
    let links = files.map { link -> HTMLText in "<a href=\"\(link.target)\">\(link.title)</a>" }
    let list = links.dropFirst().reduce(links.first ?? "") { $0 + " · " + $1 }
    return "<div class=\"sources\">\n<p><code>\(command)</code></p>\n<p>" + list + "</p>\n</div>\n"
  }
}

/// The start page of a server: links to the flows with entries, with their conversion. One link leads to all
/// other flows.
public struct FlowsPage: Sendable {
  /// A flow version with a link to its page.
  public struct Flow: Sendable {
    let title: String
    let name: String
    let target: String

    public init(title: String, name: String, target: String) {
      self.title = title
      self.name = name
      self.target = target
    }
  }

  private let report: Report
  private let flows: [(flow: Flow, row: FunnelRow?)]
  /// The options of the report.
  public var controls: [PageControl] = []
  /// The percent-encoded path of the page that includes flows without entries, or `nil` to include them on this page.
  public var all: String?

  /// Creates the page.
  ///
  /// - Parameters:
  ///   - report: The funnels of all flows, without dimensions.
  ///   - flows: The flow versions with the keys of their rows.
  public init(_ report: Report, flows: [(key: RowKey, flow: Flow)]) {
    self.report = report
    let rows = Dictionary((report[FunnelReport.self] ?? []).map { ($0.key, $0) }) { first, _ in first }
    self.flows = flows.map { ($0.flow, rows[$0.key]) }
  }

  /// Returns the page as HTML.
  ///
  /// - Parameter script: An optional enhancement of the page. The server's content security policy must allow
  ///   its hash.
  public func rendered(script: String) -> String {
    var report = report
    report.answers = []
    var frame = PageFrame(title: "Onboarding funnels")
    frame.script = script
    frame.lead = ServedPage.form(controls)
    frame.chart = chart
    let entered = flows.filter { $0.row != nil }
    frame.main =
      entered.isEmpty ? "<section>\n<p>Nobody entered a flow.</p>\n</section>\n" : table(of: entered, title: "Flows")
    let empty = flows.filter { $0.row == nil }
    if let all, !empty.isEmpty {
      let count = empty.count == 1 ? "1 flow" : "\(HumanNumbers.count(empty.count)) flows"
      frame.tail = "<p><a href=\"\(all)\">\(count) that nobody entered</a></p>\n"
    } else if !empty.isEmpty {
      frame.main = (frame.main ?? "") + table(of: empty, title: "Flows that nobody entered")
    }
    return PageRenderer.render(report, in: frame)
  }

  /// The chart of the conversions, or `nil` if there are no entries or too many flows for a chart.
  private var chart: Chart? {
    let rates = flows.compactMap { flow, row in
      row.map { (DocumentCell.Label(phrase: Phrase(flow.name)), $0.conversion, ChartInk.good) }
    }
    guard !rates.isEmpty, rates.count <= Picture.barsMax else { return nil }
    return Chart(
      title: Phrase("Conversion"), summary: "One bar per flow, showing its conversion with its 95 % interval",
      form: .bars(BarChart(rates: rates)))
  }

  private func table(of flows: [(flow: Flow, row: FunnelRow?)], title: HTMLText) -> HTMLText {
    let heads: HTMLText =
      "<th scope=\"col\" class=\"t\">Flow</th><th scope=\"col\">Entered</th><th scope=\"col\">Completed</th><th scope=\"col\">Conversion</th><th scope=\"col\">95 % interval</th>"
    let rows = flows.reduce("" as HTMLText) { text, entry in
      let (flow, row) = entry
      var cells: HTMLText = ""
      for cell in row.map({ self.cells(of: $0) }) ?? [] { cells = cells + "<td>\(cell)</td>" }
      return text + "<tr><th scope=\"row\"><a href=\"\(flow.target)\">\(flow.title)</a> <small>\(flow.name)</small></th>"
        + cells
        + "</tr>\n"
    }
    let body: HTMLText = "<tbody>\n" + rows + "</tbody>\n</table></div>\n</section>\n"
    return
      "<section>\n<h2>\(title)</h2>\n<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-label=\"\(title)\"><table>\n<caption>\(title)</caption>\n<thead><tr>"
      + heads + "</tr></thead>\n" + body
  }

  private func cells(of row: FunnelRow) -> [String] {
    let conversion = row.conversion.map { rate in
      let (low, high) = HumanNumbers.interval(rate)
      let mark = rate.denominator < fewGroupsMax ? "*" : ""
      return [HumanNumbers.percent(rate.value) + mark, "\(low)–\(high) %"]
    }
    return [HumanNumbers.count(row.entered), HumanNumbers.count(row.completed)] + (conversion ?? ["–", "–"])
  }
}
