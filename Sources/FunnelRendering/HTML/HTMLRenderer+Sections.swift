import FunnelModel

// The sections of flows, with their reports.
extension HTMLRenderer {
  /// Returns the reference of a flow, in small type.
  func name(of flow: FlowSection) -> HTMLElement { HTMLElement("small") { flow.flow.heading() } }

  /// Returns the section of a flow.
  ///
  /// - Parameter number: The number of the flow in the document, from 1.
  mutating func section(_ flow: FlowSection, number: Int) -> HTMLElement {
    currentFlow = flow.flow
    defer { currentFlow = nil }
    hasMarkedFew = false
    return HTMLElement("section", ["id": "flow-\(String(number))"], .block) {
      HTMLElement("h2", [:], .line) {
        // If the page has one flow, its title is already the heading of the page.
        if document.sections.count > 1 || frame.title != nil { "\(flow.title ?? flow.flow.flow) " }
        name(of: flow)
        if let aside = flow.aside {
          " "
          HTMLElement("small", ["class": "aside"]) { "\(aside)" }
        }
      }
      if let headline = flow.headline { HTMLElement("p", ["class": "headline"], .line) { text(headline) + "." } }
      if let note = flow.segmentNote { paragraph("note", sentence(note)) }
      for report in flow.reports where report.hasContent { content(of: report, in: flow) }
    }
  }

  /// Returns a report with its pictures above its tables.
  private mutating func content(of report: ReportSection, in flow: FlowSection) -> HTMLText {
    // A mark in the headline is explained below the first report.
    defer { hasMarkedFew = false }
    let caption: HTMLText = "\(report.heading): \(flow.flow.heading())"
    return HTMLText {
      HTMLElement("h3", [:], .line) { "\(report.heading)" }
      for picture in report.pictures { html(picture) }
      for block in report.blocks { html(block, caption: caption) }
      if hasMarkedFew {
        HTMLElement("p", ["class": "note"], .line) {
          Self.fewMark
          " a share of fewer than \(String(fewGroupsMax)) \(flow.noun.plural): read with care"
        }
      }
    }
  }

  private mutating func html(_ picture: Picture) -> HTMLText {
    switch picture {
    case .segment(let segment): HTMLElement("h4", [:], .line) { text(Phrase([.segment(segment)])) }.html
    case .figures(let figures): html(figures).html
    case .chart(let chart): figure(chart).html
    case .warning(let warning): self.warning(warning).html
    case .statement(let statement): paragraph("statement", sentence(statement)).html
    }
  }

  private mutating func html(_ block: DocumentBlock, caption: HTMLText) -> HTMLText {
    switch block {
    case .facts(let facts), .factsOfTable(let facts):
      HTMLElement("p", [:], .line) { facts.map { text($0) }.joined(separator: " · ") }.html
    case .warning(let warning): self.warning(warning).html
    case .statement(let statement): paragraph("statement", sentence(statement)).html
    case .explanation(let explanation): paragraph("note", sentence(explanation)).html
    case .table(let table): table.rows.isEmpty ? "" : html(table, caption: caption)
    case .matrix(let matrix): html(matrix, caption: caption)
    case .footnotes(let notes):
      notes.enumerated().map { index, note in
        paragraph("note", "[\(String(index + 1))] \(words(of: note))").html
      }.joined()
    }
  }

  private func warning(_ text: String) -> HTMLElement {
    HTMLElement("p", ["class": "warning", "role": "alert"], .line) { sentence(text) }
  }

  private func paragraph(_ style: HTMLText, _ content: HTMLText) -> HTMLElement {
    HTMLElement("p", ["class": style], .line) { content }
  }

  /// Returns a sentence with its full stop, in the terms of the page.
  func sentence(_ text: String) -> HTMLText { words(of: text) + "." }

  /// Returns a sentence in the terms of the page.
  func words(of text: String) -> HTMLText { Self.words(of: text, control: frame.optionControl) }

  private mutating func html(_ figures: [DocumentFigure]) -> HTMLElement {
    HTMLElement("dl", ["class": "figures"], .block) {
      for figure in figures {
        HTMLElement("div", [:], .line) {
          HTMLElement("dt") { "\(figure.name)" }
          HTMLElement("dd") {
            text(figure.value)
            if let note = figure.note { HTMLElement("small") { text(note) } }
          }
        }
      }
    }
  }
}

extension ReportSection {
  /// Whether the section has a picture or a block other than an empty table.
  fileprivate var hasContent: Bool {
    !pictures.isEmpty
      || blocks.contains { block in
        guard case .table(let table) = block else { return true }
        return !table.rows.isEmpty
      }
  }
}
