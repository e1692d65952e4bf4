import FunnelModel
import FunnelProjections
import FunnelRendering

extension FunnelReport {
  /// A step of a row, with the numbers that its shares refer to.
  private struct Line {
    let step: FunnelStepRow
    let isFirst: Bool
    /// The number of groups that entered the flow.
    let entered: Int
    /// The number of groups that reached the last required step before this one.
    let previous: Int
    /// The largest number of groups that dropped off at one step.
    let worst: Int
    let layout: DocumentLayout

    var emphasis: Emphasis { step.isOptional ? .faint : .plain }
    var dropped: DocumentCell {
      guard step.isOptional else { return .count(step.dropped, step.dropped == worst && worst > 0 ? .loss : .plain) }
      return layout == .compact ? .text("optional", .faint) : .empty
    }

    /// Returns a quantile of the time from the previous step. Empty for the first step.
    func time(_ quantile: KeyPath<Quantiles, Int64>, _ emphasis: Emphasis) -> DocumentCell {
      isFirst ? .empty : .duration(step.timeFromPrevious?[keyPath: quantile], emphasis)
    }
  }

  /// Returns a table with a row for each segment and step.
  static func stepTable(of rows: [FunnelRow], in layout: DocumentLayout) -> DocumentTable {
    let columns: [TableColumn<Line>] = [
      .label("Step") { .label(.init(phrase: Phrase($0.step.label, $0.emphasis), isOptional: $0.step.isOptional)) },
      TableColumn("Reached", rank: 1, hasBar: true) {
        .bar(
          .init(share: $0.step.fromStart, color: $0.step.isOptional ? .light : .regular), .count($0.step.reached, $0.emphasis))
      },
      TableColumn(ColumnTitle("Of start", inLine: "of start", stacked: ["of", "start"])) {
        .share($0.step.fromStart, of: $0.entered, $0.emphasis)
      },
      TableColumn(ColumnTitle("Of previous", inLine: "of previous", stacked: ["of", "prev."]), rank: 2) {
        $0.isFirst ? .empty : .share($0.step.fromPrevious, of: $0.previous, $0.emphasis)
      },
      TableColumn("Dropped") { $0.dropped },
      TableColumn(ColumnTitle("In progress", stacked: ["In", "progress"]), rank: 3) {
        $0.step.isOptional ? .empty : .count($0.step.inProgress)
      },
      TableColumn(ColumnTitle("Median time", stacked: ["Median", "time"]), rank: 4) { $0.time(\.p50, $0.emphasis) },
      TableColumn(ColumnTitle("p90", alone: ["Time", "p90"]), rank: 5) { $0.time(\.p90, .faint) },
      TableColumn(ColumnTitle("p99", alone: ["Time", "p99"]), rank: 6) { $0.time(\.p99, .faint) },
    ]
    return DocumentTable(columns, of: rows) { row in
      let worst = row.steps.compactMap(\.dropped).max() ?? 0
      return zip(row.steps, row.previousReached).enumerated().map { index, step in
        Line(step: step.0, isFirst: index == 0, entered: row.entered, previous: step.1, worst: worst, layout: layout)
      }
    }
  }

  /// Returns the shares of the groups that reached each step, by segment.
  static func stepMatrix(of rows: [FunnelRow]) -> DocumentMatrix {
    func emphasis(_ step: FunnelStepRow) -> Emphasis { step.isOptional ? .faint : .plain }
    return DocumentMatrix(
      title: "Reached, of start",
      labels: rows[0].steps.map { Phrase($0.label, emphasis($0)) },
      columns: rows.map { row in
        .init(
          segment: row.key.segment, cells: row.steps.map { .share($0.fromStart, of: row.entered, emphasis($0)) })
      })
  }
}
