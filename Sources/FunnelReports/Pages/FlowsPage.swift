import FunnelModel
package import FunnelRendering

/// The start page of a server: links to the flows with entries, with their conversion. One link leads to all
/// other flows.
package struct FlowsPage: Sendable {
  /// A flow version with a link to its page.
  package struct Flow: Sendable {
    let title: String
    let name: String
    let target: String

    package init(title: String, name: String, target: String) {
      self.title = title
      self.name = name
      self.target = target
    }
  }

  private let report: Report
  private let flows: [(flow: Flow, row: FunnelRow?)]
  /// The views that the store keeps, or `nil` if it has none.
  package var views: ViewsMenu?
  /// The options of the report.
  package var controls: [PageChip] = []
  /// Returns the control of the page for options that a sentence mentions.
  package var optionControl: OptionControlLookup?
  /// The percent-encoded path of the page that includes flows without entries, or `nil` to include them on this page.
  package var all: String?

  /// Creates the page.
  ///
  /// - Parameters:
  ///   - report: The funnels of all flows, without dimensions.
  ///   - flows: The flow versions with the keys of their rows.
  package init(_ report: Report, flows: [(key: RowKey, flow: Flow)]) {
    self.report = report
    let rows = Dictionary((report[FunnelReport.self] ?? []).map { ($0.key, $0) }) { first, _ in first }
    self.flows = flows.map { ($0.flow, rows[$0.key]) }
  }

  /// Returns the page as HTML.
  ///
  /// - Parameter script: An optional enhancement of the page. The server's content security policy must allow
  ///   its hash.
  package func rendered(script: String) -> String {
    var report = report
    report.answers = []
    let entered = flows.filter { $0.row != nil }
    let empty = flows.filter { $0.row == nil }
    var frame = PageFrame(title: "Onboarding funnels")
    frame.script = script
    frame.optionControl = optionControl
    frame.lead = HTMLText {
      if let views { views.html }
      PageForm.html(controls)
    }
    let tables = HTMLText {
      if entered.isEmpty {
        HTMLElement("section", [:], .block) { HTMLElement("p", [:], .line) { "Nobody entered a flow." } }
      } else {
        if let headline { HTMLElement("p", ["class": "headline"], .line) { headline } }
        Self.table(of: entered, title: "Flows")
      }
      if all == nil, !empty.isEmpty { Self.table(of: empty, title: "Flows that nobody entered") }
    }
    frame.content = .custom(tables, chart)
    if let all, !empty.isEmpty {
      let count = empty.count == 1 ? "1 flow" : "\(HumanNumbers.count(empty.count)) flows"
      frame.tail = HTMLElement("p", [:], .line) { PageLink("\(count) that nobody entered", to: all).html }.html
    }
    return HTMLRenderer.render(report.document(.long, hasPictures: true), in: frame)
  }

  /// The flows that most and fewest people finish, as a sentence, or `nil` if there are not two to compare.
  private var headline: HTMLText? {
    // A share of few people says little.
    let rates = flows.compactMap { flow, row in
      row?.conversion.flatMap { $0.denominator >= fewGroupsMax ? (flow: flow, share: $0.value) : nil }
    }
    guard let best = rates.max(by: { $0.share < $1.share }), let worst = rates.min(by: { $0.share < $1.share }),
      best.share > worst.share
    else { return nil }
    func named(_ entry: (flow: Flow, share: Double)) -> HTMLText {
      HTMLText {
        HTMLElement("strong") { .isolated(entry.flow.title) }
        " (\(HumanNumbers.percent(entry.share)))"
      }
    }
    return "Of \(HumanNumbers.count(rates.count)) flows, most finish \(named(best)), fewest \(named(worst))."
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

  private static func table(of flows: [(flow: Flow, row: FunnelRow?)], title: HTMLText) -> HTMLElement {
    HTMLElement("section", [:], .block) {
      HTMLElement("h2", [:], .line) { title }
      HTMLRenderer.table(caption: title) {
        HTMLRenderer.heading("Flow", isText: true)
        for heading in ["Conversion", "95 % interval", "Entered", "Completed"] as [HTMLText] {
          HTMLRenderer.heading(heading, isText: false)
        }
      } rows: {
        for (flow, row) in flows {
          HTMLElement("tr", [:], .line) {
            HTMLRenderer.rowHeading(name(of: flow))
            for cell in row.map(cells) ?? [] { HTMLElement("td") { cell } }
          }
        }
      }
    }
  }

  private static func name(of flow: Flow) -> HTMLText {
    HTMLText {
      PageLink(flow.title, to: flow.target).html
      " "
      HTMLElement("small") { "\(flow.name)" }
    }
  }

  private static func cells(of row: FunnelRow) -> [HTMLText] {
    let counts: [HTMLText] = ["\(HumanNumbers.count(row.entered))", "\(HumanNumbers.count(row.completed))"]
    guard let conversion = row.conversion else { return ["–", "–"] + counts }
    let (low, high) = HumanNumbers.interval(conversion)
    let mark = conversion.denominator < fewGroupsMax ? "*" : ""
    let share = HTMLText {
      bar(of: conversion)
      "\(HumanNumbers.percent(conversion.value) + mark)"
    }
    return [share, "\(low)–\(high) %"] + counts
  }

  /// Returns a bar as long as a share. The number is beside it, so that screen readers skip it.
  private static func bar(of rate: Rate) -> HTMLElement {
    HTMLElement("svg", ["width": "90", "height": "10", "aria-hidden": "true"]) {
      HTMLElement(empty: "rect", ["class": "partial", "width": "90", "height": "10"])
      HTMLElement(
        empty: "rect", ["class": "good", "width": "\(HumanNumbers.decimal(rate.value * 100))%", "height": "10"])
    }
  }
}
