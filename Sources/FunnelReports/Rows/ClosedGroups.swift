import FunnelProjections

extension FunnelRow {
  /// Whether so many groups are under way that the rate is not final. If so, the rate of the closed groups is printed beside it.
  var hasManyUnderWay: Bool { UnderWay.isMuch(inProgress, of: entered) }
}

extension GrantRow {
  /// Whether so many groups have not answered yet that the rate is not final.
  var hasManyUnderWay: Bool { UnderWay.isMuch(inProgress, of: prompted) }
}

/// The threshold above which groups under way make a rate misleading.
private enum UnderWay {
  /// The divisor of the threshold. A tenth of the groups can move a rate by at most ten points; more than a tenth is reported.
  static let partMax = 10

  static func isMuch(_ inProgress: Int, of groups: Int) -> Bool { inProgress > groups / partMax }
}

extension TableRenderer {
  /// Prints the rate of the groups whose conversion window has closed.
  mutating func printClosed(_ row: FunnelRow) {
    var text = StyledText("\(HumanNumbers.count(row.inProgress)) under way")
    guard row.closed.entered > 0, let rate = row.closed.conversion else {
      return printItems([text + StyledText("; no group's window has closed yet")])
    }
    let groups: TerminalText = row.closed.entered == 1 ? "one" : "\(HumanNumbers.count(row.closed.entered))"
    text += StyledText("; of the \(groups) whose window has closed ") + markedRate(rate)
    printItems([text + StyledText(" converted (95 % interval \(interval(rate)))")])
  }

  /// Returns a rate for use in a sentence, marked if it is of few groups.
  mutating func markedRate(_ rate: Rate) -> StyledText {
    let text = StyledText("\(HumanNumbers.percent(rate.value))", .strong)
    guard rate.denominator < fewGroupsMax else { return text }
    hasMarkedFew = true
    return text + StyledText("*", .caution)
  }

  /// The column for the cells of ``closedCells(_:)``.
  static let closedColumn = TableGrid.Column("Closed")

  /// Returns cells with the rate and the count of closed groups, aligned on the count. A nil entry results in an empty cell.
  mutating func closedCells(_ closed: [(rate: Rate?, groups: Int)?]) -> [TableGrid.Cell] {
    let counts = closed.map { $0.map { StyledText("\(HumanNumbers.count($0.groups))") } ?? StyledText() }
    let countWidth = counts.map(\.width).max() ?? 0
    func isFew(_ groups: Int) -> Bool { groups > 0 && groups < fewGroupsMax }
    let hasFew = closed.contains { $0.map { $0.rate != nil && isFew($0.groups) } ?? false }
    if hasFew { hasMarkedFew = true }
    return zip(closed, counts).map { entry, count in
      guard let entry else { return .empty }
      var text = entry.rate.map { StyledText("\(HumanNumbers.percent($0.value))") } ?? none
      if hasFew { text += entry.rate != nil && isFew(entry.groups) ? StyledText("*", .caution) : StyledText(" ") }
      return .text(text + StyledText(" of ", .faint) + count.padded(to: countWidth, trailing: true))
    }
  }

  /// Prints a note that explains the column of closed groups.
  mutating func printClosedNote() {
    printSentence(
      "Closed: the rate of the groups whose window has closed; the others can still change", mark: StyledText("  "), ink: .faint
    )
  }
}
