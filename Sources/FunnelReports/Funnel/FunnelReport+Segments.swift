import FunnelModel
import FunnelRendering

extension FunnelReport {
  /// Returns a chart with the share of each segment that reached each step.
  static func segmentChart(of segments: ChartedSegments<FunnelRow>, in context: DocumentContext) -> [Picture] {
    let steps = segments.segments[0].row.steps
    let last = steps.lastIndex { !$0.isOptional }
    return segments.chart(
      "Reached, of those who entered",
      "A bar for each step and segment, showing the share of the \(context.noun.who) reached it; the last step has the 95 % interval",
      labels: steps.map { $0.label + ($0.isOptional ? " (optional)" : "") }
    ) { index, segment in
      guard index < segment.row.steps.count, let reached = segment.row.steps[index].reached else { return nil }
      // While many groups are in progress, an interval of the current rate would be misleading.
      let interval = index == last && !segment.row.hasManyInProgress ? segment.row.conversion : nil
      return segment.bar(
        reached, of: segment.row.entered, interval: interval,
        people: (.step(steps[index].id, GroupState.reached.rawValue), "reached it"))
    }
  }
}
