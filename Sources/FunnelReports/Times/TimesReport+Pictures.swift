import FunnelModel
import FunnelProjections

extension TimesReport {
  /// The durations of a histogram: those of a step, or those of the whole flow.
  private typealias Drawn = (label: Phrase, times: TimeSummary)

  /// The height of a step's histogram in pixels. That of the whole flow is larger.
  private static let stepHeight = 56.0

  /// Adds a histogram of the whole flow, and smaller ones of the steps with the same bins.
  public static func addPictures(of rows: [TimesRow], in context: DocumentContext, to part: inout DocumentPart) {
    let noun = context.noun
    // Histograms of segments are comparable: they have the same bins, and equal heights are equal shares.
    let edges = edges(of: rows)
    let tallest = tallestShares(of: rows)
    part.pictures = Picture.each(of: rows) { row in
      return drawn(of: row).enumerated().map { index, drawn in
        let bins = edges.map { bin in
          HistogramChart.Bin(
            edge: HumanNumbers.duration(milliseconds: bin.from), name: name(of: bin),
            count: drawn.times.bins.first { $0.from == bin.from }?.count ?? 0)
        }
        let median = drawn.times.quantile(50).map { HumanNumbers.duration(milliseconds: $0) } ?? "none"
        let title =
          drawn.label + Phrase("  \(noun.counted(drawn.times.count)), median \(median)", .faint)
        var chart = HistogramChart(bins: bins)
        chart.top = (tallest[drawn.label.plainText] ?? 1) * Double(drawn.times.count)
        if index > 0 { chart.plotHeight = stepHeight }
        return .chart(
          Chart(
            title: title, summary: "One column per range of times, showing the number of \(noun.who) took that long",
            form: .histogram(chart)))
      }
    }
  }

  private static func drawn(of row: TimesRow) -> [Drawn] {
    ([(Phrase("The whole flow"), row.total)] + row.steps.map { (label(of: $0), $0.times) }).filter { !$0.times.bins.isEmpty }
  }

  /// Returns the largest share of a bin over all histograms with the same label, by label.
  private static func tallestShares(of rows: [TimesRow]) -> [String: Double] {
    rows.flatMap { drawn(of: $0) }.reduce(into: [:]) { shares, drawn in
      let most = drawn.times.bins.map(\.count).max() ?? 0
      let share = Double(most) / Double(max(drawn.times.count, 1))
      shares[drawn.label.plainText] = max(shares[drawn.label.plainText] ?? 0, share)
    }
  }

  /// Returns the bins from the first to the last nonempty one of any row, with counts of 0.
  private static func edges(of rows: [TimesRow]) -> [TimeBin] {
    let bins = rows.flatMap { drawn(of: $0).flatMap(\.times.bins) }
    guard let first = bins.map(\.from).min(), let last = bins.map(\.from).max() else { return [] }
    return TimeBin.all.filter { (first...last).contains($0.from) }
  }

  /// Returns the numbers of all histograms as a table, with a row for each step and a column for each bin.
  static func histograms(of rows: [TimesRow]) -> DocumentTable {
    let columns = edges(of: rows).map { bin in
      TableColumn<Drawn>(ColumnTitle(name(of: bin))) { drawn in
        .count(drawn.times.bins.first { $0.from == bin.from }?.count ?? 0)
      }
    }
    return DocumentTable(
      [.label("Time") { .label(.init(phrase: $0.label)) }] + columns,
      rows: rows.flatMap { row in drawn(of: row).map { (row.key.segment, $0) } })
  }
}
