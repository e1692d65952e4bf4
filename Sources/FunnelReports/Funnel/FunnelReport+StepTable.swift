import FunnelModel
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
    let mostDropped: Int
    let layout: DocumentLayout

    var dropped: DocumentCell {
      guard step.isOptional else {
        return .people(
          step.dropped, .step(step.id, GroupState.dropped.rawValue),
          step.dropped == mostDropped && mostDropped > 0 ? .loss : .plain)
      }
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
      .label("Step") { .label(.init(phrase: Phrase($0.step.label, $0.step.emphasis), isOptional: $0.step.isOptional)) },
      TableColumn("Reached", priority: .regular(1), hasBar: true) {
        .bar(
          .init(share: $0.step.fromStart, color: $0.step.isOptional ? .light : .regular),
          .people($0.step.reached, .step($0.step.id, GroupState.reached.rawValue), $0.step.emphasis))
      },
      TableColumn(ColumnTitle("Of start", inLine: "of start", stacked: ["of", "start"])) {
        .share($0.step.fromStart, of: $0.entered, $0.step.emphasis)
      },
      TableColumn(ColumnTitle("Of previous", inLine: "of previous", stacked: ["of", "prev."]), priority: .regular(2)) {
        $0.isFirst ? .empty : .share($0.step.fromPrevious, of: $0.previous, $0.step.emphasis)
      },
      TableColumn("Dropped") { $0.dropped },
      TableColumn(ColumnTitle("In progress", stacked: ["In", "progress"]), priority: .regular(3)) {
        $0.step.isOptional ? .empty : .people($0.step.inProgress, .step($0.step.id, GroupState.inProgress.rawValue))
      },
      TableColumn(ColumnTitle("Median time", stacked: ["Median", "time"]), priority: .extra(1)) {
        $0.time(\.p50, $0.step.emphasis)
      },
      TableColumn(ColumnTitle("p90", alone: ["Time", "p90"]), priority: .extra(2)) { $0.time(\.p90, .faint) },
      TableColumn(ColumnTitle("p99", alone: ["Time", "p99"]), priority: .extra(3)) { $0.time(\.p99, .faint) },
    ]
    return DocumentTable(columns, of: rows) { row in
      let mostDropped = row.steps.compactMap(\.dropped).max() ?? 0
      return zip(row.steps.indices, row.previousReached).map { index, previous in
        Line(
          step: row.steps[index], isFirst: index == 0, entered: row.entered, previous: previous, mostDropped: mostDropped,
          layout: layout)
      }
    }
  }

  /// Returns the shares of the groups that reached each step, by segment.
  static func stepMatrix(of rows: [FunnelRow]) -> DocumentMatrix {
    precondition(!rows.isEmpty, "a matrix has a column")
    return DocumentMatrix(
      title: "Reached, of start",
      labels: rows[0].steps.map { Phrase($0.label, $0.emphasis) },
      columns: rows.map { row in
        .init(segment: row.key.segment, cells: row.steps.map { .share($0.fromStart, of: row.entered, $0.emphasis) })
      })
  }
}

extension FunnelStepRow {
  fileprivate var emphasis: Emphasis { isOptional ? .faint : .plain }
}
