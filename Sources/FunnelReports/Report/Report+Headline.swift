import FunnelModel
import FunnelProjections
import FunnelRendering

extension Report {
  /// Returns the headline of a flow version: that of its funnel, of its retention or of its paths, or `nil` if it has none.
  ///
  /// A report with a funnel has the headline of the funnel. Other reports have it too, except retention and paths.
  func headline(of flow: FlowReference, counting noun: CountedNoun) -> Phrase? {
    guard !isComparison else { return nil }
    let funnels = funnels(of: flow)
    if self[FunnelReport.self] == nil {
      if let rows = self[CohortRetentionReport.self] {
        return RetentionHeadline(rows.filter { $0.key.flowReference == flow }, counting: noun)?.phrase
      }
      if let rows = self[NextReport.self], let path = query.path {
        let areManyOpen = ManyInProgress.holds(
          funnels.reduce(0) { $0 + $1.inProgress }, of: funnels.reduce(0) { $0 + $1.entered })
        return PathsHeadline(rows.filter { $0.key.flowReference == flow }, along: path, counting: noun)
          .phrase(isSoFar: areManyOpen)
      }
    }
    return FunnelHeadline(funnels.labelled(for: query.order), counting: noun, of: query).phrase(change: changes[flow])
  }

  /// Returns the rows of a flow version's funnel, or an empty array if they were not counted.
  func funnels(of flow: FlowReference) -> [FunnelRow] {
    (self[FunnelReport.self] ?? funnelRows).filter { $0.key.flowReference == flow }
  }

  /// Adds clauses about the change of conversion to the headlines.
  ///
  /// - Parameter comparison: The comparison of the period of this report with the period before it.
  package mutating func addChanges(from comparison: Report) {
    for case let answer as ReportRows<CompareReport> in comparison.answers {
      for row in answer.rows { changes[row.key.flowReference] = ComparisonText.change(of: row) }
    }
  }
}

extension Phrase {
  /// Returns a share in parentheses, after a space: ` (62.5 %)`.
  static func shareInParentheses(_ count: Int, of whole: Int, _ emphasis: Emphasis = .plain) -> Phrase {
    guard let share = Rate.share(count, of: whole) else { return Phrase([]) }
    return Phrase([.text(" (", .plain), .share(share, of: whole, emphasis), .text(")", .plain)])
  }
}
