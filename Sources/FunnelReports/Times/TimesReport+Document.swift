import FunnelModel
import FunnelProjections

extension TimesReport {
  /// A line of the table of times: a step, or the whole flow.
  private struct Line {
    let label: Phrase
    let isOptional: Bool
    let times: TimeSummary
  }

  public static func document(of rows: [TimesRow], in context: DocumentContext) -> DocumentPart {
    var part = DocumentPart(Self.self)
    let noun = context.noun
    switch context.layout {
    case .compact:
      part.append(eachOf: rows) { row in
        [.table(table(of: [(row.key.segment, row)], noun))]
          + (row.total.bins.isEmpty ? [] : [.table(histogram(of: row.total, noun))])
      }
    case .long:
      part.blocks = [.table(table(of: rows.map { ($0.key.segment, $0) }, noun))]
      // If histograms are drawn, a table below has their numbers.
      if context.hasPictures, rows.count <= Picture.chartedSegmentsMax { part.blocks.append(.table(histograms(of: rows))) }
    }
    part.blocks.append(
      .explanation(
        "Times are measured from one required step to the next, for \(noun.who) reached both, and for the whole flow from the first step to the last"
      ))
    part.blocks.append(
      .explanation(
        "Half were faster than the median, nine out of ten faster than p90; a few very slow ones raise the mean"))
    return part
  }

  private static func table(of rows: [(segment: [PropertyValue], row: TimesRow)], _ noun: CountedNoun) -> DocumentTable {
    let columns: [TableColumn<Line>] = [
      .label("Time from step to step") { .label(.init(phrase: $0.label, isOptional: $0.isOptional)) },
      .count(ColumnTitle(noun.title)) { $0.times.count },
      TableColumn("Median", rank: 0) { .duration($0.times.quantile(50)) },
      TableColumn("Mean", rank: 3) { .duration($0.times.mean.map { Int64($0.rounded()) }) },
      TableColumn("p10", rank: 5) { .duration($0.times.quantile(10), .faint) },
      TableColumn("p25", rank: 6) { .duration($0.times.quantile(25), .faint) },
      TableColumn("p75", rank: 6) { .duration($0.times.quantile(75), .faint) },
      TableColumn("p90", rank: 1) { .duration($0.times.quantile(90), .faint) },
      TableColumn("p95", rank: 4) { .duration($0.times.quantile(95), .faint) },
      TableColumn("p99", rank: 2) { .duration($0.times.quantile(99), .faint) },
    ]
    let lines = rows.flatMap { segment, row -> [(segment: [PropertyValue], line: Line)] in
      let steps = row.steps.map { step in
        Line(label: label(of: step, step.isOptional ? .faint : .plain), isOptional: step.isOptional, times: step.times)
      }
      return (steps + [Line(label: Phrase("Whole flow", .strong), isOptional: false, times: row.total)]).map { (segment, $0) }
    }
    var table = DocumentTable(columns, rows: lines)
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
