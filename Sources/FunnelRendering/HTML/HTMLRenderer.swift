package import FunnelModel

/// Renders a document as a self-contained HTML page.
///
/// Each report of a flow has charts, and the same numbers in tables below them.
package struct HTMLRenderer: MarkupRenderer {
  typealias Rule = HTMLEscape

  let document: ReportDocument
  let frame: PageFrame
  /// Whether a share of few groups was marked. The mark is then explained below the tables.
  var hasMarkedFew = false
  /// The flow of the current section, or `nil` outside of sections.
  var currentFlow: FlowReference?
  /// The number of charts so far, which makes their element IDs unique.
  var chartCount = 0

  /// Returns a document as an HTML page.
  package static func render(_ document: ReportDocument, in frame: PageFrame = PageFrame()) -> String {
    var renderer = HTMLRenderer(document: document, frame: frame)
    return renderer.page().rendered()
  }

  private init(document: ReportDocument, frame: PageFrame) {
    self.document = document
    self.frame = frame
  }

  private mutating func page() -> HTMLPage {
    let header = HTMLText {
      if !document.alarms.isEmpty {
        alert(document.alarms.count == 1 ? "Alarm" : "Alarms", items: document.alarms.map { .isolated($0) })
      }
      HTMLElement("p", ["class": "question"], .line) { Self.summary(of: document.query) }
      frame.lead
    }
    let navigation = document.sections.count > 1 ? tableOfContents().html : ""
    return HTMLPage(
      title: title, windowTitle: windowTitle, header: header, navigation: navigation, main: main(), script: frame.script)
  }

  private mutating func main() -> HTMLText {
    HTMLText {
      if let damage = document.damage {
        alert(damage.headline, items: damage.lines.map { "\($0)" }, advice: ReportDamage.advice)
      }
      notes
      switch frame.content {
      case .reports: reports()
      case .custom(let content, let chart):
        content
        if let chart { figure(chart) }
      }
      frame.tail
    }
  }

  /// The notes of the document and of the frame.
  private var notes: HTMLText {
    let texts = document.notes.map { sentence($0) } + frame.notes.map { words(of: $0) }
    guard frame.foldsNotes, !document.sections.isEmpty, !texts.isEmpty else {
      return texts.map { text in HTMLElement("p", ["class": "warning"], .line) { text }.html }.joined()
    }
    return HTMLElement("details", ["class": "warning"], .block) {
      HTMLElement("summary", [:], .line) {
        texts.count == 1 ? "1 note on these numbers" : "\(String(texts.count)) notes on these numbers"
      }
      for text in texts { HTMLElement("p", [:], .line) { text } }
    }.html
  }

  private mutating func reports() -> HTMLText {
    HTMLText {
      if document.sections.isEmpty { nothingMatched }
      for (index, flow) in document.sections.enumerated() { section(flow, number: index + 1) }
    }
  }

  private func alert(_ title: String, items: [HTMLText], advice: String? = nil) -> HTMLElement {
    HTMLElement("section", ["class": "warning", "role": "alert"], .block) {
      HTMLElement("p", [:], .line) { HTMLElement("strong") { "\(title)" } }
      HTMLElement("ul", [:], .block) {
        for item in items { HTMLElement("li", [:], .line) { item } }
      }
      if let advice { HTMLElement("p", [:], .line) { "\(advice)" } }
    }
  }

  /// The title of the only flow, which may have several versions, or a general title for several flows.
  private var title: HTMLText {
    if let title = frame.title { return "\(title)" }
    guard let only = onlyFlow else { return document.isComparison ? "Comparison" : "Onboarding funnels" }
    return only.title.map { "\($0)" } ?? "\(only.flow.app)/\(only.flow.flow)"
  }

  /// The last version of the only flow of the document, or `nil` if it has several flows, or none.
  private var onlyFlow: FlowSection? {
    guard let last = document.sections.last,
      document.sections.allSatisfy({ $0.flow.app == last.flow.app && $0.flow.flow == last.flow.flow })
    else { return nil }
    return last
  }

  /// The title of the window: the titles of the flow and of its report, such as `Onboarding · bloom/onboarding · Retention`.
  private var windowTitle: HTMLText? {
    guard frame.title == nil, !document.sections.isEmpty else { return nil }
    let headings = Set(document.sections.flatMap { $0.reports.map(\.heading) })
    var parts = [title]
    if let only = onlyFlow, only.title != nil { parts.append("\(only.flow.app)/\(only.flow.flow)") }
    // A page with several reports has a name for all of them.
    parts.append(headings.count == 1 ? "\(headings.first ?? "")" : "Report")
    return parts.joined(separator: " · ")
  }

  /// Returns a query in words.
  package static func summary(of query: ReportQuery) -> HTMLText {
    let words = QueryWords<HTMLEscape>(query)
    let now = HTMLElement("time") { words.now }.html
    var items: [HTMLText] = ["as of \(now)"] + words.log + words.period + words.closed + words.counting
    if !query.by.isEmpty { items.append("by \(query.by.map(\.description).joined(separator: ", "))") }
    items += query.conditions.map { condition in "where " + HTMLElement("code") { "\(condition.description)" }.html }
    return items.joined(separator: " · ")
  }

  private mutating func tableOfContents() -> HTMLElement {
    HTMLElement("nav", ["aria-label": "Flows"], .block) {
      HTMLElement("ul", [:], .block) {
        for (index, flow) in document.sections.enumerated() {
          HTMLElement("li", [:], .line) {
            HTMLElement("a", ["href": "#flow-\(String(index + 1))"]) {
              "\(flow.title ?? flow.flow.flow) "
              name(of: flow)
            }
            if let figure = flow.figure { " " + text(figure) }
          }
        }
      }
    }
  }

  private var nothingMatched: HTMLElement {
    HTMLElement("section", [:], .block) {
      HTMLElement("h2", [:], .line) { "\(document.emptinessTitle)" }
      HTMLElement("p", [:], .line) {
        sentence(document.emptinessReason.prefix(1).uppercased() + document.emptinessReason.dropFirst())
      }
      for line in document.logContents { HTMLElement("p", [:], .line) { words(of: line) } }
    }
  }
}

// The markup of parts of texts (``MarkupRenderer``).
extension HTMLRenderer {
  static var fewMark: HTMLText { HTMLElement("b") { "*" }.html }
  static var noValue: HTMLText { HTMLElement("i") { "(none)" }.html }
  static var optionalNote: HTMLText { HTMLElement("small") { "(optional)" }.html }

  static func isolated(_ text: String) -> HTMLText { .isolated(text) }

  static func emphasized(_ text: HTMLText, _ emphasis: Emphasis) -> HTMLText {
    switch emphasis {
    case .plain: text
    case .strong, .loss: HTMLElement("strong") { text }.html
    case .faint: HTMLElement("span", ["class": "quiet"]) { text }.html
    }
  }

  static func mark(ofFootnote number: Int) -> HTMLText { HTMLElement("small") { "[\(String(number))]" }.html }

  static func linked(_ label: HTMLText, to target: String) -> HTMLText {
    HTMLElement("a", ["href": "\(target)"]) { label }.html
  }

  func values(of segment: [PropertyValue]) -> [HTMLText] { segment.indices.map { value(of: segment, at: $0) } }
}
