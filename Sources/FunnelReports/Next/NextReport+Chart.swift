import FunnelModel
import FunnelProjections
package import FunnelRendering

extension NextReport {
  /// The minimum share of a row's groups at which a branch is drawn.
  private static let chartedShareMin = 0.05

  /// Adds a flow diagram of the tree.
  package static func addPictures(of rows: [NextRow], in context: DocumentContext, to part: inout ReportSection) {
    guard let path = context.query.path else { return }
    part.pictures = Picture.of(rows, by: context.query.by) { row in
      guard row.groups > 0 else { return [] }
      // The table has all branches. Dozens of tiny bars would not be readable.
      let root = FlowDiagram.Branch(
        label: path.key.description, count: row.groups, ink: .good,
        branches: drawn(row.next, of: row.groups, path.direction))
      let title = Phrase([
        .text("\(path.direction.rawValue.capitalizedFirst) \(path.key), of \(context.noun.counted(row.groups))", .plain),
        .text(", branches of \(HumanNumbers.percent(chartedShareMin)) or more", .faint),
      ])
      return [
        .chart(
          Chart(
            title: title,
            summary: (path.direction == .after
              ? "The events that follow, from left to right: one bar per event, as high as the number of \(context.noun.who) had it next, joined to the event before it"
              : "The events that precede, from right to left: one bar per event, as high as the number of \(context.noun.who) had it before, joined to the event after it")
              + ". \(endExplanation(of: [row], path))",
            form: .flow(FlowDiagram(root: root, start: path.direction == .after ? .left : .right))))
      ]
    } bySegment: { segments in
      segmentChart(of: segments, path, in: context)
    }
  }

  /// Returns the branches that are drawn, without those that are too small and without subtrees in which all paths end.
  ///
  /// - Parameter all: The number of groups at the root of the tree.
  private static func drawn(
    _ branches: [NextBranch], of all: Int, _ direction: PathQuery.Direction
  ) -> [FlowDiagram.Branch] {
    guard branches.contains(where: { $0.event != .end }) else { return [] }
    return branches.filter { Double($0.count) >= chartedShareMin * Double(all) }.map { branch in
      FlowDiagram.Branch(
        label: label(of: branch, direction).plainText, count: branch.count, ink: ink(of: branch),
        branches: drawn(branch.next, of: all, direction))
    }
  }

  private static func ink(of branch: NextBranch) -> ChartInk {
    switch branch.event {
    case .named: .good
    case .other: .neutral
    case .end: .loss
    }
  }

  /// Returns a chart with the share of each segment that had each event next.
  private static func segmentChart(
    of segments: ChartedSegments<NextRow>, _ path: PathQuery, in context: DocumentContext
  ) -> [Picture] {
    let events = segments.segments.flatMap { segment in
      segment.row.next.filter { Double($0.count) >= chartedShareMin * Double(segment.row.groups) }
    }.unique { $0.event }
    return segments.chart(
      "\(path.direction == .after ? "Next after" : "Right before") \(path.key), events of \(HumanNumbers.percent(chartedShareMin)) or more",
      "A bar for each event and segment, showing the share of the \(context.noun.who) had it \(path.direction == .after ? "next" : "right before")",
      labels: events.map { label(of: $0, path.direction).plainText }
    ) { index, segment in
      let branch = segment.row.next.first { $0.event == events[index].event }
      return segment.bar(branch?.count ?? 0, of: segment.row.groups)
    }
  }
}
