import FunnelModel

extension TableRenderer {
  /// The last printed block of a section, which decides whether a blank line follows.
  enum Above {
    case heading, facts, table
    /// A table of another named report.
    case otherReport
  }

  /// Prints the reports of a section below its heading.
  mutating func printReports(of section: FlowSection) {
    var above = Above.heading
    for report in section.reports {
      if above == .table { above = .otherReport }
      for block in report.blocks { printBlock(block, below: &above) }
    }
  }

  private mutating func printBlock(_ block: DocumentBlock, below above: inout Above) {
    switch block {
    case .facts(let facts):
      if above != .heading, above != .facts { printBlank() }
      printItems(facts.map { styled($0) })
      above = .facts
    case .factsOfTable(let facts):
      if above != .table { printBlank() }
      printItems(facts.map { styled($0) })
      above = .facts
    case .table(let table):
      let grid = grid(of: table)
      printBlocks(table.keepsOrder ? grid.packed(width: style.width) : grid.blocks(width: style.width))
      above = .table
    case .matrix(let matrix):
      printMatrix(matrix)
      above = .table
    case .warning(let sentence):
      if above != .heading { printBlank() }
      printSentence("\(sentence).", mark: StyledText("  ! ", .caution), ink: .caution)
      above = .facts
    case .statement(let sentence):
      if above != .heading { printBlank() }
      printSentence("\(sentence).", mark: StyledText("  "), ink: .strong)
      above = .facts
    case .explanation(let sentence):
      printSentence("\(sentence)", mark: StyledText("  "), ink: .faint)
    case .footnotes(let notes):
      printBlank()
      for (index, note) in notes.enumerated() {
        printSentence("\(note)", mark: StyledText("  [\(String(index + 1))] ", .caution), ink: .faint)
      }
    }
  }
}

extension TableRenderer {
  /// Returns a phrase as text. An asterisk marks a share of few groups.
  mutating func styled(_ phrase: Phrase) -> StyledText {
    phrase.parts.reduce(into: StyledText()) { text, part in
      switch part {
      case .text(let words, let emphasis): text += StyledText("\(words)", Ink(emphasis))
      case .share(let share, let groups, let emphasis):
        text += StyledText("\(HumanNumbers.percent(share))", Ink(emphasis))
        guard groups < fewGroupsMax else { return }
        hasMarkedFew = true
        text += StyledText("*", .caution)
      case .interval(let rate): text += StyledText(interval(rate))
      case .arrow(let emphasis): text += StyledText(glyphs.arrow, Ink(emphasis))
      case .segment(let values): text += segmentText(values)
      case .absent: text += none
      case .sparkline(let values, let open):
        text += StyledText(glyphs.sparkline(values), .bar)
        if open > 0 { text += StyledText(" " + glyphs.openBucket.repeated(open), .faint) }
      }
    }
  }
}

extension Ink {
  init(_ emphasis: Emphasis) {
    switch emphasis {
    case .plain: self = .plain
    case .strong: self = .strong
    case .faint: self = .faint
    case .loss: self = .loss
    }
  }
}
