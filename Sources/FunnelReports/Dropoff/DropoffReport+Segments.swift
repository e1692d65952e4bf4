import FunnelModel
import FunnelRendering

extension DropoffReport {
  /// Returns a chart with the share of each segment that dropped at each step.
  ///
  /// - Parameter isClosed: Whether to count only groups whose window has closed. These have no list of people.
  static func segmentChart(of segments: ChartedSegments<DropoffRow>, ofClosed isClosed: Bool) -> [Picture] {
    let steps = segments.segments[0].row.steps
    let lossy = steps.indices.filter { index in segments.segments.contains { $0.row.step(index)?.dropped ?? 0 > 0 } }
    let shares = lossy.flatMap { index in segments.segments.compactMap { $0.row.step(index)?.share(ofClosed: isClosed).share } }
    let top = ChartScale.shareTop(shares.max() ?? 1)
    return segments.chart(
      (isClosed
        ? "Dropped, of those who reached the step and whose window is closed" : "Dropped, of those who reached the step")
        + "; a full bar is \(HumanNumbers.percent(top))",
      "A bar for each step and segment, showing the share that dropped there", labels: lossy.map { steps[$0].label }, top: top
    ) { index, segment in
      guard let step = segment.row.step(lossy[index]) else { return nil }
      return isClosed
        ? segment.bar(step.closed.dropped, of: step.closed.reached)
        : segment.bar(
          step.dropped, of: step.reached, people: (.step(step.id, GroupState.dropped.rawValue), "dropped"))
    }
  }
}

extension DropoffRow {
  /// Returns the step with an index, or `nil` if the row has fewer.
  fileprivate func step(_ index: Int) -> DropoffStepRow? { index < steps.count ? steps[index] : nil }
}
