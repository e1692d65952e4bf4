import FunnelModel
import FunnelProjections

extension TimesReport {
  /// A duration that a histogram is drawn of: a step's, or that of the whole flow.
  private typealias Drawn = (label: String, times: TimeSummary)

  /// The height of a step's histogram in pixels; that of the whole flow is higher.
  private static let stepHeight = 56.0

  /// Draws the histogram of the whole flow, and smaller ones of the steps over the same times.
  public static func addPictures(of rows: [TimesRow], in context: DocumentContext, to part: inout DocumentPart) {
    part.pictures = Picture.each(of: rows) { row in
      let edges = edges(of: [row])
      return drawn(of: row).enumerated().map { index, drawn in
        let bins = edges.map { bin in
          HistogramChart.Bin(
            edge: HumanNumbers.duration(milliseconds: bin.from), name: name(of: bin),
            count: drawn.times.bins.first { $0.from == bin.from }?.count ?? 0)
        }
        let median = drawn.times.quantile(50).map { HumanNumbers.duration(milliseconds: $0) } ?? "none"
        let title = Phrase([
          .text("\(drawn.label) took  ", .plain),
          .text("\(HumanNumbers.count(drawn.times.count)) groups, median \(median)", .faint),
        ])
        var chart = HistogramChart(bins: bins)
        if index > 0 { chart.plotHeight = stepHeight }
        return .chart(
          Chart(
            title: title, summary: "A column for each range of times as high as the number of groups that took so long",
            form: .histogram(chart)))
      }
    }
  }

  private static func drawn(of row: TimesRow) -> [Drawn] {
    ([("The whole flow", row.total)] + row.steps.map { ($0.label, $0.times) }).filter { !$0.times.bins.isEmpty }
  }

  /// Returns the bins, without counts, from the first to the last that some duration of the rows has.
  private static func edges(of rows: [TimesRow]) -> [TimeBin] {
    let bins = rows.flatMap { drawn(of: $0).flatMap(\.times.bins) }
    guard let first = bins.map(\.from).min(), let last = bins.map(\.from).max() else { return [] }
    return TimeBin.all.filter { (first...last).contains($0.from) }
  }

  /// Returns the numbers of all histograms: a row for each step, and a column for each range of times.
  static func histograms(of rows: [TimesRow]) -> DocumentTable {
    let columns = edges(of: rows).map { bin in
      TableColumn<Drawn>(ColumnTitle(name(of: bin))) { drawn in
        .count(drawn.times.bins.first { $0.from == bin.from }?.count ?? 0)
      }
    }
    return DocumentTable(
      [.label("Took") { .label($0.label) }] + columns,
      rows: rows.flatMap { row in drawn(of: row).map { (row.key.segment, $0) } })
  }
}
