import FunnelModel
import FunnelProjections

extension NextReport {
  /// The minimum share of a row's groups at which a branch is drawn.
  private static let chartedShareMin = 0.05

  /// Adds a chart of the tree, with a bar for each branch, indented below its parent.
  public static func addPictures(of rows: [NextRow], in context: DocumentContext, to part: inout DocumentPart) {
    let key = context.query.after?.description ?? "the event"
    part.pictures = Picture.each(of: rows) { row in
      guard row.groups > 0 else { return [] }
      // The table has all branches. Dozens of tiny bars would not be readable.
      let shown = lines(of: row).filter { Double($0.branch.count) >= chartedShareMin * Double(row.groups) }
      let bars = shown.map { line -> BarChart.Bar in
        let isEnd = line.branch.event == nil
        let went = isEnd ? 0 : line.branch.count
        let stayed = isEnd ? line.branch.count : 0
        // The share is the length of the bar: of all groups, not of those at the parent, which may be few.
        let share = Rate(line.branch.count, of: line.all)
        return BarChart.Bar(
          label: .init(phrase: line.label, depth: line.depth), lengths: [Double(went), Double(stayed)],
          whole: Double(row.groups),
          value: Phrase(
            [.text("\(HumanNumbers.count(line.branch.count)) · ", .plain)]
              + (share.map { [.share($0.value, of: line.all, .strong)] } ?? [.absent])))
      }
      var chart = BarChart(
        parts: [.init(name: "went there", ink: .good), .init(name: "did nothing more", ink: .loss)], bars: bars)
      chart.hasPartLabels = false
      let title = Phrase([
        .text("After \(key), of \(context.noun.counted(row.groups))", .plain),
        .text(", branches of \(HumanNumbers.percent(chartedShareMin)) or more", .faint),
      ])
      return [
        .chart(
          Chart(
            title: title,
            summary:
              "A tree of the following events: one bar per event, showing the number of \(context.noun.who) had it next, below the event before it",
            form: .bars(chart)))
      ]
    }
  }
}
