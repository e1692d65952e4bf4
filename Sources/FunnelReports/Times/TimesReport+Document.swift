import FunnelModel
package import FunnelRendering

extension TimesReport {
  /// A line of the table of times: a step, or the whole flow.
  private struct Line {
    let label: Phrase
    let isOptional: Bool
    let times: TimeSummary
  }

  package static func document(of rows: [TimesRow], in context: DocumentContext) -> ReportSection {
    var part = ReportSection(Self.self)
    let noun = context.noun
    switch context.layout {
    case .compact:
      part.append(eachOf: rows) { row in
        [.table(table(of: [row], noun))]
          + (row.total.bins.isEmpty ? [] : [.table(histogram(of: row.total, noun))])
      }
    case .long:
      part.blocks = [.table(table(of: rows, noun))]
      // If histograms are drawn, a table below has their numbers.
      if context.hasPictures, rows.count == 1 { part.blocks.append(.table(histograms(of: rows))) }
    }
    part.explain(
      "Times are measured from one required step to the next, for \(noun.who) reached both, and for the whole flow from the first step to the last",
      "Half were faster than the median, nine out of ten faster than p90; a few very slow ones raise the mean")
    return part
  }

  private static func table(of rows: [TimesRow], _ noun: CountedNoun) -> DocumentTable {
    let columns: [TableColumn<Line>] = [
      .label("Time from step to step") { .label(.init(phrase: $0.label, isOptional: $0.isOptional)) },
      .count(ColumnTitle(noun.title)) { $0.times.count },
      TableColumn("Median", priority: .essential) { .duration($0.times.quantile(50)) },
      TableColumn("Mean", priority: .regular(3)) { .duration($0.times.mean.map { Int64($0.rounded()) }) },
      TableColumn("p10", priority: .extra(2)) { .duration($0.times.quantile(10), .faint) },
      TableColumn("p25", priority: .extra(3)) { .duration($0.times.quantile(25), .faint) },
      TableColumn("p75", priority: .extra(3)) { .duration($0.times.quantile(75), .faint) },
      TableColumn("p90", priority: .regular(1)) { .duration($0.times.quantile(90), .faint) },
      TableColumn("p95", priority: .extra(1)) { .duration($0.times.quantile(95), .faint) },
      TableColumn("p99", priority: .regular(2)) { .duration($0.times.quantile(99), .faint) },
    ]
    var table = DocumentTable(columns, of: rows) { row in
      row.steps.map { step in
        Line(label: label(of: step, step.isOptional ? .faint : .plain), isOptional: step.isOptional, times: step.times)
      } + [Line(label: Phrase("Whole flow", .strong), isOptional: false, times: row.total)]
    }
    // Percentiles stay in their order even if they do not fit side by side.
    table.keepsOrder = true
    return table
  }

  /// Returns the label of a step's times: `Welcome → Level test`.
  static func label(of step: TimesStepRow, _ emphasis: Emphasis = .plain) -> Phrase {
    guard let previous = step.previousLabel else { return Phrase(step.label, emphasis) }
    return Phrase([.text("\(previous) ", emphasis), .arrow(emphasis), .text(" \(step.label)", emphasis)])
  }

  /// Returns the histogram of the whole flow as a table, with a bar for each bin.
  private static func histogram(of total: TimeSummary, _ noun: CountedNoun) -> DocumentTable {
    let largest = total.bins.map(\.count).max() ?? 1
    let columns: [TableColumn<TimeBin>] = [
      .label("Whole flow took") { .label(name(of: $0)) },
      TableColumn(ColumnTitle(noun.title), hasBar: true) {
        .bar(.init(share: Double($0.count) / Double(largest)), .count($0.count))
      },
      TableColumn("Of all") { .share(Double($0.count) / Double(total.count), of: total.count) },
    ]
    return DocumentTable(columns, rows: joiningEmptyBins(of: total.bins).map { ([], $0) })
  }

  // A few groups that return on the next day would otherwise add a dozen empty bins to the table.
  /// Returns the bins with consecutive empty bins merged.
  static func joiningEmptyBins(of bins: [TimeBin]) -> [TimeBin] {
    bins.reduce(into: []) { joined, bin in
      if bin.count == 0, let last = joined.last, last.count == 0 {
        joined[joined.count - 1].to = bin.to
      } else {
        joined.append(bin)
      }
    }
  }

  /// Returns the range of a bin in words.
  static func name(of bin: TimeBin) -> String {
    guard let to = bin.to else { return "\(HumanNumbers.duration(milliseconds: bin.from)) and more" }
    return bin.from == 0
      ? "under \(HumanNumbers.duration(milliseconds: to))"
      : "\(HumanNumbers.duration(milliseconds: bin.from)) to \(HumanNumbers.duration(milliseconds: to))"
  }
}

extension TimesReport {
  /// The durations of a step, or of the whole flow, as a histogram with a label.
  private struct LabelledTimes {
    let label: Phrase
    let times: TimeSummary
  }

  /// The height of a step's histogram in pixels. That of the whole flow is larger.
  private static let stepHeight = 56.0

  /// Adds a histogram of the whole flow, and smaller ones of the steps with the same bins.
  package static func addPictures(of rows: [TimesRow], in context: DocumentContext, to part: inout ReportSection) {
    let noun = context.noun
    // Histograms are comparable: they have the same bins, and equal heights are equal shares.
    let edges = edges(of: rows)
    let tallest = tallestShares(of: rows)
    part.pictures = Picture.of(rows, by: context.query.by) { row in
      drawn(of: row).enumerated().map { index, drawn in
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
    } bySegment: { segments in
      segmentChart(of: segments, in: context)
    }
  }

  /// Returns a chart with the median times of each segment.
  private static func segmentChart(of segments: ChartedSegments<TimesRow>, in context: DocumentContext) -> [Picture] {
    func summary(_ row: TimesRow, _ index: Int) -> TimeSummary? {
      if index == 0 { return row.total }
      return index <= row.steps.count ? row.steps[index - 1].times : nil
    }
    let labels = ["The whole flow"] + segments.segments[0].row.steps.map { label(of: $0).plainText }
    // Each step has its own scale: a flow takes much longer than one of its steps.
    let longest = labels.indices.map { index in
      segments.segments.compactMap { summary($0.row, index)?.quantile(50) }.max() ?? 0
    }
    return segments.chart(
      "Median time; the longest of each step is a full bar",
      "A bar for each step and segment, showing the median time of the \(context.noun.who) took it", labels: labels
    ) { index, segment in
      guard let times = summary(segment.row, index), let median = times.quantile(50) else { return nil }
      return GroupedBarChart.Bar(
        label: segment.name, segment: segment.row.key.segment, ink: segment.ink,
        length: longest[index] > 0 ? Double(median) / Double(longest[index]) : 0,
        value: HumanNumbers.duration(milliseconds: median), detail: HumanNumbers.count(times.count))
    }
  }

  /// Returns the durations that are drawn: those of the whole flow, then those of its steps.
  private static func drawn(of row: TimesRow) -> [LabelledTimes] {
    let whole = LabelledTimes(label: Phrase("The whole flow"), times: row.total)
    let steps = row.steps.map { LabelledTimes(label: label(of: $0), times: $0.times) }
    return ([whole] + steps).filter { !$0.times.bins.isEmpty }
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
      TableColumn<LabelledTimes>(ColumnTitle(name(of: bin))) { drawn in
        .count(drawn.times.bins.first { $0.from == bin.from }?.count ?? 0)
      }
    }
    return DocumentTable(
      [.label("Time") { .label(.init(phrase: $0.label)) }] + columns, of: rows, lines: drawn)
  }
}
