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

  /// The largest segments, in the order of the rows. All of them if the query is by hour or by weekday.
  let segments: [Segment]
  /// The names of all hours or weekdays in their order, each of which has a bar. Empty for segments of other dimensions.
  private let cycle: [String]
  /// The number of segments of the report.
  let count: Int

  /// Creates the segments of some rows, each of another segment.
  ///
  /// - Parameters:
  ///   - dimensions: The dimensions of the segments.
  ///   - limit: The largest number of segments, or `nil` for that of a chart with bars.
  init(_ rows: [Row], by dimensions: [Dimension], limit: Int? = nil) {
    let cycle = (dimensions.count == 1 ? dimensions[0].cyclicValues : nil) ?? []
    let bySize = rows.indices.sorted { (-rows[$0].groups, $0) < (-rows[$1].groups, $1) }
    let shown = bySize.prefix(limit ?? max(Self.segmentsMax, cycle.count))
    let ranks = Dictionary(Self.inkOrder(of: Array(shown), in: rows).enumerated().map { ($1, $0) }, uniquingKeysWith: min)
    segments = rows.indices.compactMap { index in
      ranks[index].map { rank in
        // The order of hours and weekdays tells them apart, so they share an ink.
        let ink = ChartInk.segment(rank: cycle.isEmpty ? rank : 0)
        return Segment(row: rows[index], name: Phrase([.segment(rows[index].key.segment)]).plainText, ink: ink)
      }
    }
    self.cycle = cycle
    count = rows.count
  }

  /// Returns the indices of rows, sorted by their size, in the order of their inks.
  private static func inkOrder(of bySize: [Int], in rows: [Row]) -> [Int] {
    // Where each segment has an ink, the inks follow the values, so that a segment has one ink in all charts. Where there
    // are more segments than inks, the largest have them.
    guard bySize.count <= ChartInk.segmentCount else { return bySize }
    func name(_ index: Int) -> String { Phrase([.segment(rows[index].key.segment)]).plainText }
    func lacksValue(_ index: Int) -> Bool { rows[index].key.segment.contains(.null) }
    return bySize.sorted { (lacksValue($0) ? 1 : 0, name($0), $0) < (lacksValue($1) ? 1 : 0, name($1), $1) }
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
    let bars = labels.indices.map { index in
      segments.compactMap { segment in bar(index, segment).map { (name: segment.name, bar: $0) } }
    }
    guard bars.contains(where: { !$0.isEmpty }) else { return [] }
    let groups = zip(labels, bars).map { GroupedBarChart.Group(label: $0, bars: completed($1)) }
    let part = segments.count < count ? ", the \(segments.count) largest of \(HumanNumbers.count(count)) segments" : ""
    return [.chart(title + part, summary, .grouped(GroupedBarChart(groups: groups, top: top)))]
  }

  /// Returns the bars of one label, with an empty bar for each hour or weekday that has none.
  private func completed(_ bars: [(name: String, bar: GroupedBarChart.Bar)]) -> [GroupedBarChart.Bar] {
    guard !cycle.isEmpty, !bars.isEmpty else { return bars.map(\.bar) }
    let byName = Dictionary(bars.map { ($0.name, $0.bar) }, uniquingKeysWith: { first, _ in first })
    assert(byName.keys.allSatisfy(cycle.contains), "each segment is an hour or a weekday")
    return cycle.map { name in
      byName[name]
        ?? GroupedBarChart.Bar(
          label: name, segment: [.string(name)], ink: .segment(rank: 0), length: nil, value: Phrase([.absent]).plainText)
    }
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
