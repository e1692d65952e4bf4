import FunnelModel
import FunnelProjections

extension NextReport {
  /// The share of a row's groups that a branch needs to be drawn.
  private static let chartedShareMin = 0.05

  /// Draws the tree: a bar for each branch as long as its number of groups, indented below what it continues.
  public static func addPictures(of rows: [NextRow], in context: DocumentContext, to part: inout DocumentPart) {
    let key = context.query.after?.description ?? "the event"
    part.pictures = Picture.each(of: rows) { row in
      guard row.groups > 0 else { return [] }
      // The table has all branches; a picture of dozens of bars of one group each shows nothing.
      let shown = lines(of: row).filter { Double($0.branch.count) >= chartedShareMin * Double(row.groups) }
      let bars = shown.map { line -> BarChart.Bar in
        let (went, stayed) = line.branch.event == nil ? (0, line.branch.count) : (line.branch.count, 0)
        // The share is what the bar is long: of all, not of the event above, which may be few.
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
