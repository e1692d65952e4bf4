import FunnelModel
public import FunnelProjections

extension StepsProjector {
  public func rows(from segments: SegmentedCounts) -> [StepsRow] {
    let flow = query.flow
    return segments.sized(by: slots.entered).map { counts in
      StepsRow(
        key: RowKey(flow: flow, segment: counts.segment), title: flow.title, entered: counts[slots.entered],
        asksPermissions: !flow.permissions.isEmpty,
        steps: flow.steps.indices.map { step in
          StepsStepRow(
            id: flow.steps[step].id, label: flow.steps[step].label, isOptional: flow.steps[step].isOptional,
            reached: query.matcher.matchesInOrder || !flow.steps[step].isOptional ? counts[slots.reached(step)] : nil,
            completed: counts[slots.completed(step)], skipped: counts[slots.skipped(step)], back: counts[slots.back(step)],
            failed: counts[slots.failed(step)], failures: NamedCount.ofReasons(counts.values(of: slots.failures(step))),
            views: counts[slots.views(step)], time: counts.quantiles(of: step),
            values: PropertySummary.summaries(of: counts.properties(of: slots.completionProperties(step)), in: flow))
        })
    }
  }
}
