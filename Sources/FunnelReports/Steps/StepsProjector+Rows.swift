import FunnelModel
public import FunnelProjections

extension StepsProjector {
  public func rows(from segments: SegmentedCounts) -> [StepsRow] {
    let flow = query.flow
    return segments.sized(by: ids.entered).map { counts in
      StepsRow(
        key: RowKey(flow: flow, segment: counts.segment), title: flow.title, entered: counts[ids.entered],
        asksPermissions: !flow.permissions.isEmpty,
        steps: flow.steps.indices.map { step in
          StepsStepRow(
            id: flow.steps[step].id, label: flow.steps[step].label, isOptional: flow.steps[step].isOptional,
            reached: query.matcher.matchesInOrder || !flow.steps[step].isOptional ? counts[ids.reached(step)] : nil,
            completed: counts[ids.completed(step)], skipped: counts[ids.skipped(step)], back: counts[ids.back(step)],
            failed: counts[ids.failed(step)], failures: NamedCount.ofReasons(counts.values(of: ids.failures(step))),
            views: counts[ids.views(step)], time: counts.quantiles(of: step),
            values: PropertySummary.summaries(of: counts.properties(of: ids.completionProperties(step)), in: flow))
        })
    }
  }
}
