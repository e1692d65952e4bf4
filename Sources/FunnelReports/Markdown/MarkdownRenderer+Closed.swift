import FunnelProjections

/// Context that keeps the numbers from misleading: the rates of closed groups, and the last steps of the groups that dropped.
extension MarkdownRenderer {
  /// Returns two cells: the rate of the closed groups with their count, and its interval.
  func closedCells(_ rate: Rate?, of groups: Int) -> [MarkdownText] {
    ["\(share(rate)) of \(count(groups))", interval(rate)]
  }

  /// Prints a note that explains the columns of closed groups.
  mutating func printClosedNote() {
    print("\nClosed: the rate of the groups whose window has closed; the others can still change.")
  }

  /// Whether a rate is of so few groups that it is marked.
  func isFew(_ rate: Rate?) -> Bool { (rate?.denominator ?? fewGroupsMax) < fewGroupsMax }

  /// Returns one row for each other step that groups dropped here visited last.
  func lastStepCells(of step: DropoffStepRow) -> [[MarkdownText]] {
    step.lastElsewhere.map { last in
      [
        "↳ last on \(last.label)", "\(share(step.share(of: last), of: step.dropped)) of them", count(last.groups), "", "", "",
        "",
        "",
      ]
    }
  }
}
