import FunnelModel
package import FunnelProjections

/// Measures the time of groups from each step to the next, and from the first to the last (specification section 7).
package final class TimesProjector: Projector {
  package static let readsChain = true
  package static let hasHistograms = true

  let query: FlowQuery

  package init(_ query: FlowQuery) {
    self.query = query
  }

  private var stepCount: Int { query.flow.steps.count }

  /// The counter ID of the groups that entered.
  private var entered: Int { 0 }
  package var counterCount: Int { 1 }
  /// The duration ID of the time from the anchor to the last required step. Smaller IDs are those of the steps.
  private var total: Int { stepCount }
  package var durationCount: Int { stepCount + 1 }

  package func contribute(_ events: GroupEvents, along match: ChainMatch, into contribution: inout Contribution) {
    guard match.isCounted else { return }
    let matcher = query.matcher
    contribution.beginSection(at: match.anchor)
    contribution.count(entered)
    for index in 1..<max(1, match.matchedStepCount) {
      contribution.time(matcher.requiredSteps[index], from: match[index - 1], to: match[index])
    }
    for optional in matcher.optionalSteps {
      guard let previous = optional.previous, let entry = matcher.entry(of: optional, in: events, along: match) else {
        continue
      }
      contribution.time(optional.step, from: match[previous], to: entry)
    }
    if match.matchedStepCount == matcher.requiredSteps.count {
      contribution.time(total, from: match.anchor, to: match[match.matchedStepCount - 1])
    }
  }

  package func rows(from segments: SegmentedCounts) -> [TimesRow] {
    let flow = query.flow
    return segments.sized(by: entered).map { counts in
      TimesRow(
        key: RowKey(flow: flow, segment: counts.segment), title: flow.title, entered: counts[entered],
        steps: flow.steps.indices.dropFirst().map { step in
          TimesStepRow(
            id: flow.steps[step].id, label: flow.steps[step].label,
            previousLabel: query.query.order == .any ? nil : flow.steps[..<step].last { !$0.isOptional }?.label,
            isOptional: flow.steps[step].isOptional, times: TimeSummary(counts.distribution(of: step)))
        },
        total: TimeSummary(counts.distribution(of: total)))
    }
  }
}
