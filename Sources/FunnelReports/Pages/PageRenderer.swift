import FunnelModel
import FunnelProjections

/// Renders a report as a self-contained HTML page for screens, phones and paper, with a light and a dark theme.
///
/// Each report of a flow has charts, and the same numbers in tables below them. The page loads no other files.
struct PageRenderer {
  let document: ReportDocument
  private let frame: PageFrame
  private var output = ""
  /// Whether a share of few groups was marked. The mark is then explained below the tables.
  var hasMarkedFew = false
  /// The number of charts so far, which makes their element IDs unique.
  private var charts = 0

  /// Returns a report as an HTML page.
  static func render(_ report: Report, in frame: PageFrame = PageFrame()) -> String {
    var renderer = PageRenderer(document: ReportDocument(report, layout: .long, hasPictures: true), frame: frame)
    renderer.printPage()
    return renderer.output
  }

  private init(document: ReportDocument, frame: PageFrame) {
    self.document = document
    self.frame = frame
  }

  /// Appends HTML to the page.
  mutating func print(_ text: HTMLText) { output += text.text }

  /// Returns the number of the next chart, from 1.
  mutating func nextChart() -> Int {
    charts += 1
    return charts
  }
}

extension PageRenderer {
  /// Returns a page without a report.
  static func page(title: String, main: HTMLText) -> String {
    let frame = PageFrame(title: title, main: main)
    return head(title: "\(title)", frame) + "</header>\n<main>\n" + main.text + end(frame)
  }

  private mutating func printPage() {
    output = Self.head(title: title, frame)
    if !document.alarms.isEmpty { print(alarms: document.alarms) }
    print("<p class=\"question\">\(querySummary)</p>\n")
    print(frame.lead)
    print("</header>\n")
    if document.sections.count > 1 { printContents() }
    print("<main>\n")
    if let damage = document.damage { print(damage) }
    for note in document.notes { print("<p class=\"warning\">\(.isolated(note)).</p>\n") }
    if let main = frame.main {
      print(main)
      if let chart = frame.chart { print(chart) }
    } else {
      if document.sections.isEmpty { printNothing() }
      for (index, section) in document.sections.enumerated() { print(section, number: index + 1) }
    }
    print(frame.tail)
    output += Self.end(frame)
  }

  private static func head(title: HTMLText, _ frame: PageFrame) -> String {
    // A server sends its policy as an HTTP header, with the hash of the script. A file has no script.
    let policy: HTMLText =
      frame.script.isEmpty
      ? "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\"/>\n"
      : ""
    let start: HTMLText = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8"/>
      \(policy)<meta name="viewport" content="width=device-width, initial-scale=1"/>
      <meta name="color-scheme" content="light dark"/>
      <meta name="referrer" content="no-referrer"/>
      <title>\(title)</title>
      <style>

      """
    return (start + PageStyle.sheet + "</style>\n</head>\n<body>\n<header>\n<h1>\(title)</h1>\n").text
  }

  private static func end(_ frame: PageFrame) -> String {
    "</main>\n" + (frame.script.isEmpty ? "" : "<script>\(frame.script)</script>\n") + "</body>\n</html>\n"
  }

  /// The title of the only flow, which may have several versions, or a general title for several flows.
  private var title: HTMLText {
    if let title = frame.title { return "\(title)" }
    guard let only = document.sections.last,
      document.sections.allSatisfy({ $0.flow.app == only.flow.app && $0.flow.flow == only.flow.flow })
    else {
      return document.isComparison ? "Comparison" : "Onboarding funnels"
    }
    return only.title.map { "\($0)" } ?? "\(only.flow.app)/\(only.flow.flow)"
  }

  /// The query in words.
  private var querySummary: HTMLText {
    let query = document.query
    var items: [HTMLText] = ["as of <time>\(query.now.minuteText)</time> UTC"]
    if query.timeZone != .utc { items.append("days and hours of \(query.timeZone.name)") }
    if let past = query.asOf { items.append("log as it stood at \(past.description)") }
    if let since = query.since { items.append("since \(since.minuteText)") }
    if let until = query.until { items.append("until \(until.minuteText)") }
    if query.isMature { items.append("closed windows only") }
    if query.order != .ordered { items.append("order \(query.order.rawValue)") }
    if query.anchor == .best { items.append("best start in the period") }
    if let countBy = query.countBy { items.append("counted by \(countBy.rawValue)") }
    if !query.by.isEmpty { items.append("by \(query.by.map(\.description).joined(separator: ", "))") }
    for condition in query.conditions { items.append("where <code>\(condition.description)</code>") }
    return joined(items)
  }

  private mutating func printContents() {
    print("<nav aria-label=\"Flows\">\n<ul>\n")
    for (index, section) in document.sections.enumerated() {
      print("<li><a href=\"#flow-\(String(index + 1))\">\(section.title ?? section.flow.flow) \(name(of: section))</a>")
      if let figure = section.figure { print(" \(text(figure))") }
      print("</li>\n")
    }
    print("</ul>\n</nav>\n")
  }

  private mutating func printNothing() {
    print(
      "<section>\n<h2>Nothing matched</h2>\n<p>\(document.nothing.prefix(1).uppercased() + document.nothing.dropFirst()).</p>\n"
    )
    for line in document.logContents { print("<p>\(line)</p>\n") }
    print("</section>\n")
  }

  private mutating func print(alarms: [String]) {
    print(
      "<section class=\"warning\" role=\"alert\">\n<p><strong>\(alarms.count == 1 ? "Alarm" : "Alarms")</strong></p>\n<ul>\n")
    for alarm in alarms { print("<li>\(.isolated(alarm))</li>\n") }
    print("</ul>\n</section>\n")
  }

  private mutating func print(_ damage: ReportDamage) {
    print("<section class=\"warning\" role=\"alert\">\n<p><strong>\(damage.headline)</strong></p>\n<ul>\n")
    for line in damage.lines { print("<li>\(line)</li>\n") }
    print("</ul>\n<p>\(ReportDamage.advice)</p>\n</section>\n")
  }

  private func name(of section: DocumentSection) -> HTMLText {
    let version: HTMLText = section.flow.version.map { " v\(String($0))" } ?? ""
    return "<small>\(section.flow.app)/\(section.flow.flow)\(version)</small>"
  }

  private mutating func print(_ section: DocumentSection, number: Int) {
    print("<section id=\"flow-\(String(number))\">\n<h2>")
    // If the page has one flow, its title is already the heading of the page.
    if document.sections.count > 1 || frame.title != nil { print("\(section.title ?? section.flow.flow) ") }
    print(name(of: section))
    if let aside = section.aside { print(" <small class=\"aside\">\(aside)</small>") }
    print("</h2>\n")
    for part in section.parts { print(part, of: section) }
    print("</section>\n")
  }

  private mutating func print(_ part: DocumentPart, of section: DocumentSection) {
    guard part.hasContent else { return }
    hasMarkedFew = false
    print("<h3>\(part.heading)</h3>\n")
    for picture in part.pictures { print(picture) }
    for block in part.blocks { print(block, of: part, in: section) }
    if hasMarkedFew {
      print(
        "<p class=\"note\"><b>*</b> a share of fewer than \(String(fewGroupsMax)) \(section.noun.plural): read with care</p>\n")
    }
  }

  private mutating func print(_ picture: Picture) {
    switch picture {
    case .segment(let segment): print("<h4>\(text(Phrase([.segment(segment)])))</h4>\n")
    case .figures(let figures): print(figures)
    case .chart(let chart): print(chart)
    case .warning(let sentence): printWarning(sentence)
    case .statement(let sentence): printStatement(sentence)
    }
  }

  private mutating func printWarning(_ sentence: String) {
    print("<p class=\"warning\" role=\"alert\">\(.isolated(sentence)).</p>\n")
  }

  private mutating func printStatement(_ sentence: String) {
    print("<p class=\"statement\">\(.isolated(sentence)).</p>\n")
  }

  private mutating func print(_ block: DocumentBlock, of part: DocumentPart, in section: DocumentSection) {
    switch block {
    case .facts(let facts), .factsOfTable(let facts): print("<p>\(joined(facts.map { text($0) }))</p>\n")
    case .warning(let sentence): printWarning(sentence)
    case .statement(let sentence): printStatement(sentence)
    case .explanation(let sentence): print("<p class=\"note\">\(.isolated(sentence)).</p>\n")
    case .table(let table) where table.rows.isEmpty: return
    case .table(let table): print(table, caption: caption(of: part, in: section))
    case .matrix(let matrix): print(matrix, caption: caption(of: part, in: section))
    case .footnotes(let notes):
      for (index, note) in notes.enumerated() {
        print("<p class=\"note\">[\(String(index + 1))] \(.isolated(note))</p>\n")
      }
    }
  }

  private func caption(of part: DocumentPart, in section: DocumentSection) -> HTMLText {
    let version: HTMLText = section.flow.version.map { " v\(String($0))" } ?? ""
    return "\(part.heading): \(section.flow.app)/\(section.flow.flow)\(version)"
  }

  private mutating func print(_ figures: [DocumentFigure]) {
    print("<dl class=\"figures\">\n")
    for figure in figures {
      let note = figure.note.map { note -> HTMLText in "<small>\(text(note))</small>" } ?? ""
      print("<div><dt>\(figure.name)</dt><dd>\(text(figure.value))\(note)</dd></div>\n")
    }
    print("</dl>\n")
  }

  /// Returns items separated by dots.
  func joined(_ items: [HTMLText]) -> HTMLText {
    items.dropFirst().reduce(items.first ?? "") { $0 + " · " + $1 }
  }
}

extension DocumentPart {
  /// Whether the part has a picture or a block other than an empty table.
  fileprivate var hasContent: Bool {
    !pictures.isEmpty
      || blocks.contains { block in
        guard case .table(let table) = block else { return true }
        return !table.rows.isEmpty
      }
  }
}
