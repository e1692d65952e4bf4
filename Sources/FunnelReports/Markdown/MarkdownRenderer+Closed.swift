import FunnelProjections

/// What stands beside the numbers so that they do not mislead: the rates of closed groups, and where the dropped were last.
extension MarkdownRenderer {
  /// The rate of closed groups, how many they are, and its interval.
  func closedCells(_ rate: Rate?, of groups: Int) -> [MarkdownText] {
    ["\(share(rate)) of \(count(groups))", interval(rate)]
  }

  /// Says what the columns of closed groups hold.
  mutating func printClosedNote() {
    print("\nClosed: the rate of the groups whose window has closed; the others can still change.")
  }

  /// Whether a rate stands on so few groups that it is marked.
  func isFew(_ rate: Rate?) -> Bool { (rate?.denominator ?? fewGroupsMax) < fewGroupsMax }

  /// A row for each other step that groups dropped here were on last.
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
