import FunnelModel
import FunnelProjections
import FunnelRendering

/// The segments of a report in its charts: their order, names and inks.
struct ChartedSegments<Row: ReportRow> {
  /// A row with the name and the ink of its segment.
  struct Segment {
    let row: Row
    let name: String
    let ink: ChartInk
  }

  /// The largest number of segments in a chart with a bar for each step and segment. Tables have more.
  private static var segmentsMax: Int { 12 }

  /// The largest segments, in the order of the rows.
  let segments: [Segment]
  /// The number of segments of the report.
  let count: Int

  /// Creates the segments of some rows, each of another segment.
  ///
  /// - Parameter limit: The largest number of segments, or `nil` for that of a chart with bars.
  init(_ rows: [Row], limit: Int? = nil) {
    let bySize = rows.indices.sorted { (-rows[$0].groups, $0) < (-rows[$1].groups, $1) }
    let shown = bySize.prefix(limit ?? Self.segmentsMax)
    // Inks follow the size, so that the largest segments keep theirs if a small one comes or goes.
    let ranks = Dictionary(shown.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    segments = rows.indices.compactMap { index in
      ranks[index].map { rank in
        Segment(
          row: rows[index], name: Phrase([.segment(rows[index].key.segment)]).plainText, ink: .segment(rank: rank))
      }
    }
    count = rows.count
  }

  /// Returns a chart with a group of bars for each label, such as a step.
  ///
  /// - Parameters:
  ///   - summary: The description for screen readers.
  ///   - labels: The labels of the groups.
  ///   - top: The length of a full bar.
  ///   - bar: Returns the bar of a segment in the group with an index, or `nil` for none.
  func chart(
    _ title: String, _ summary: String, labels: [String], top: Double = 1, bar: (Int, Segment) -> GroupedBarChart.Bar?
  ) -> [Picture] {
    let bars = labels.indices.map { index in segments.compactMap { bar(index, $0) } }
    guard bars.contains(where: { !$0.isEmpty }) else { return [] }
    let groups = zip(labels, bars).map { GroupedBarChart.Group(label: $0, bars: $1) }
    let part = segments.count < count ? ", the \(segments.count) largest of \(HumanNumbers.count(count)) segments" : ""
    return [.chart(title + part, summary, .grouped(GroupedBarChart(groups: groups, top: top)))]
  }
}

extension ChartedSegments.Segment {
  /// Returns a bar of a share of the segment, with the number of people that it is made of.
  ///
  /// - Parameters:
  ///   - count: The number of groups.
  ///   - whole: The number of groups that the share is of.
  ///   - interval: The interval of the share, or `nil` for none.
  ///   - people: The state of the groups and the words for it, or `nil` if there is no list of them.
  func bar(
    _ count: Int, of whole: Int, interval: Rate? = nil, people: (state: PeopleState, words: String)? = nil
  ) -> GroupedBarChart.Bar {
    let share = Rate.share(count, of: whole)
    let value = Phrase([share.map { .share($0, of: whole, .strong) } ?? .absent]).plainText
    return GroupedBarChart.Bar(
      label: name, segment: row.key.segment, ink: ink, length: share, value: value, detail: HumanNumbers.count(count),
      interval: interval.map { $0.low...$0.high },
      people: people.map { ($0.state, "\(HumanNumbers.count(count)) \($0.words)") })
  }
}
