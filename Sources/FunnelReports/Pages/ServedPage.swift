import FunnelProjections

/// A report as a page of a server: with links to the other reports, controls that ask it otherwise, and the command that prints the same.
public struct ServedPage: Sendable {
  private let report: Report
  /// The reports of the flow.
  public var reports: [PageLink] = []
  /// What is asked.
  public var controls: [PageControl] = []
  /// The same numbers for programs.
  public var files: [PageLink] = []
  /// The command line that prints the same.
  public var command = ""
  /// What looks like a mistake in the question or in the log.
  public var notes: [String] = []

  public init(_ report: Report) {
    self.report = report
  }

  /// Returns the page as HTML.
  ///
  /// - Parameter script: A script for comfort, whose hash the server's policy allows.
  public func rendered(script: String) -> String {
    var frame = PageFrame()
    frame.lead = Self.navigation(reports) + form + notesList
    frame.tail = sources
    frame.script = script
    return PageRenderer.render(report, in: frame)
  }

  static func navigation(_ links: [PageLink]) -> HTMLText {
    guard !links.isEmpty else { return "" }
    let items = links.reduce("" as HTMLText) { text, link in
      let here: HTMLText = link.isHere ? " aria-current=\"page\"" : ""
      return text + "<li><a href=\"\(link.target)\"\(here)>\(link.title)</a></li>\n"
    }
    return "<nav aria-label=\"Reports\" class=\"tabs\"><ul>\n" + items + "</ul></nav>\n"
  }

  private var form: HTMLText {
    guard !controls.isEmpty else { return "" }
    let fields = controls.reduce("" as HTMLText) { $0 + Self.field($1) }
    return "<form method=\"get\" class=\"controls\">\n" + fields + "<button type=\"submit\">Show</button>\n</form>\n"
  }

  private static func field(_ control: PageControl) -> HTMLText {
    switch control {
    case .choice(let name, let label, let values, let chosen):
      let options = values.reduce("" as HTMLText) { text, entry in
        let selected: HTMLText = entry.value == chosen ? " selected=\"selected\"" : ""
        return text + "<option value=\"\(entry.value)\"\(selected)>\(entry.label)</option>\n"
      }
      return "<label>\(label) <select name=\"\(name)\">\n" + options + "</select></label>\n"
    case .text(let name, let label, let value, let suggestions):
      let list = suggestions.reduce("" as HTMLText) { $0 + "<option value=\"\($1)\"></option>\n" }
      return "<label>\(label) <input type=\"text\" name=\"\(name)\" value=\"\(value)\" list=\"values-\(name)\"/></label>\n"
        + "<datalist id=\"values-\(name)\">\n" + list + "</datalist>\n"
    case .hidden(let name, let value): return "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\"/>\n"
    case .check(let name, let label, let isOn):
      let checked: HTMLText = isOn ? " checked=\"checked\"" : ""
      return "<label><input type=\"checkbox\" name=\"\(name)\" value=\"true\"\(checked)/> \(label)</label>\n"
    }
  }

  private var notesList: HTMLText {
    notes.reduce("") { $0 + "<p class=\"warning\">\(.isolated($1))</p>\n" }
  }

  private var sources: HTMLText {
    var text: HTMLText = "<section class=\"sources\">\n<h2>The same elsewhere</h2>\n<p><code>\(command)</code></p>\n"
    for link in files { text = text + "<p><a href=\"\(link.target)\">\(link.title)</a></p>\n" }
    return text + "</section>\n"
  }
}

/// The first page of a server: the flows with their conversion, each a link.
public struct FlowsPage: Sendable {
  /// A flow version with its page.
  public struct Flow: Sendable {
    let title: String
    let name: String
    let target: String

    public init(title: String, name: String, target: String) {
      (self.title, self.name, self.target) = (title, name, target)
    }
  }

  private let report: Report
  private let flows: [(flow: Flow, row: FunnelRow?)]

  /// Creates the page.
  ///
  /// - Parameters:
  ///   - report: The funnels of all flows, by no dimension.
  ///   - flows: The flow versions with the keys of their rows.
  public init(_ report: Report, flows: [(key: RowKey, flow: Flow)]) {
    self.report = report
    let rows = Dictionary((report[FunnelReport.self] ?? []).map { ($0.key, $0) }) { first, _ in first }
    self.flows = flows.map { ($0.flow, rows[$0.key]) }
  }

  /// Returns the page as HTML.
  ///
  /// - Parameter script: A script for comfort, whose hash the server's policy allows.
  public func rendered(script: String) -> String {
    var report = report
    report.answers = []
    var frame = PageFrame(title: "Onboarding funnels")
    frame.script = script
    frame.main = table(of: flows.filter { $0.row != nil }, title: "Flows")
    let empty = flows.filter { $0.row == nil }
    if !empty.isEmpty { frame.main = frame.main! + table(of: empty, title: "Flows that nobody entered") }
    return PageRenderer.render(report, in: frame)
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
