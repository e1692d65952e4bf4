import FunnelModel
import FunnelProjections
import FunnelRendering

extension DropoffReport {
  /// A line of the step table.
  private struct Line {
    /// The step that a line is about.
    enum Subject {
      /// The step at which groups dropped off.
      case step
      /// Another step, which some of these groups visited last.
      case lastStep(LastStep)
    }

    let subject: Subject
    let row: DropoffRow
    let step: DropoffStepRow
    /// The largest number of groups that dropped off at one step.
    let mostDropped: Int
    /// The largest share of groups that dropped off at one step.
    let largestShare: Double
    /// Whether shares are those of the groups whose window has closed.
    let isClosedShown: Bool

    /// The share of those who reached the step that dropped there, and its denominator.
    var share: (share: Double?, of: Int) { step.share(ofClosed: isClosedShown) }

    /// The share of those who entered that dropped at the step, and its denominator.
    var shareOfStart: (share: Double?, of: Int) {
      guard isClosedShown else { return (step.shareOfEntered, row.entered) }
      return (Rate.share(step.closed.dropped, of: row.closedEntered), row.closedEntered)
    }

    /// Whether the line has details of the line above it.
    var isDetail: Bool { if case .lastStep = subject { true } else { false } }
  }

  /// Returns a table with a row for each step, and for each other step that was visited last.
  static func stepTable(
    of rows: [(row: DropoffRow, steps: [DropoffStepRow])], in layout: DocumentLayout
  ) -> DocumentTable {
    let isClosedShown = rows.contains { $0.row.hasManyInProgress }
    let lines = rows.flatMap { Self.lines(of: $0.row, $0.steps, isClosedShown: isClosedShown) }
    var table = DocumentTable(columns(in: layout, isClosedShown: isClosedShown), rows: lines.map { ($0.row.key.segment, $0) })
    for (index, line) in lines.enumerated() where line.isDetail { table.rows[index].isDetail = true }
    return table
  }

  private static func lines(of row: DropoffRow, _ steps: [DropoffStepRow], isClosedShown: Bool) -> [Line] {
    let mostDropped = steps.map(\.dropped).max() ?? 0
    let shares = steps.compactMap { $0.share(ofClosed: isClosedShown).share }.filter { $0 > 0 }
    let largestShare = shares.max() ?? 1
    return steps.flatMap { step in
      ([.step] + step.lastElsewhere.map { Line.Subject.lastStep($0) }).map { subject in
        Line(
          subject: subject, row: row, step: step, mostDropped: mostDropped, largestShare: largestShare,
          isClosedShown: isClosedShown)
      }
    }
  }
}

// MARK: - Columns

extension DropoffReport {
  private static func columns(in layout: DocumentLayout, isClosedShown: Bool) -> [TableColumn<Line>] {
    let label = TableColumn<Line>.label("Dropped at") { self.label(of: $0, in: layout) }
    let inProgress = isClosedShown ? [inProgressColumn] : []
    switch layout {
    case .compact:
      return [label, shareColumn, shareOfStartColumn, droppedColumn] + inProgress + [exitsColumn, lostColumn] + stayColumns
    case .long:
      return [label, exitsColumn, droppedColumn] + inProgress + [shareColumn, shareOfStartColumn, lostColumn] + stayColumns
        + [longestStayColumn]
    }
  }

  /// Returns a column that has cells only in the lines of steps at which groups dropped off.
  private static func ofSteps(
    _ title: ColumnTitle, priority: ColumnPriority, hasBar: Bool = false, _ cell: @escaping (Line) -> DocumentCell
  ) -> TableColumn<Line> {
    TableColumn(title, priority: priority, hasBar: hasBar) { $0.isDetail ? .empty : cell($0) }
  }

  private static var shareColumn: TableColumn<Line> {
    ofSteps(
      ColumnTitle("Of reached", inLine: "of reached", stacked: ["of", "reached"]), priority: .regular(3), hasBar: true
    ) { line in
      let (share, whole) = line.share
      // Shares are usually small, so the largest one fills the bar.
      return .bar(.init(share: share.map { $0 / line.largestShare }, color: .loss), .share(share, of: whole))
    }
  }

  private static var shareOfStartColumn: TableColumn<Line> {
    ofSteps(ColumnTitle("Of start", inLine: "of start", stacked: ["of", "start"]), priority: .regular(2)) { line in
      let (share, whole) = line.shareOfStart
      return .share(share, of: whole)
    }
  }

  private static var droppedColumn: TableColumn<Line> {
    TableColumn("Dropped") { line in
      switch line.subject {
      case .step:
        .people(
          line.step.dropped, .step(line.step.id, GroupState.dropped.rawValue),
          line.step.dropped == line.mostDropped && line.mostDropped > 0 ? .loss : .plain)
      case .lastStep(let last): .count(last.groups, .faint)
      }
    }
  }

  private static var inProgressColumn: TableColumn<Line> {
    TableColumn(ColumnTitle("In progress", stacked: ["In", "progress"]), priority: .regular(3)) {
      .people($0.isDetail ? nil : $0.step.inProgress, .step($0.step.id, GroupState.inProgress.rawValue))
    }
  }

  /// The ways in which groups left at a step, or the share of them that visited another step last.
  private static var exitsColumn: TableColumn<Line> {
    TableColumn("How they left", role: .items) { line in
      switch line.subject {
      case .step: .items(line.step.exitsByCount.map { Phrase("\(HumanNumbers.count($0.count)) \($0.kind.word)") })
      case .lastStep(let last):
        .items([
          line.step.share(of: last).map {
            Phrase([.share($0, of: line.step.dropped, .faint), .text(" of them", .faint)])
          } ?? Phrase([.absent])
        ])
      }
    }
  }

  private static var lostColumn: TableColumn<Line> {
    ofSteps(ColumnTitle("Lost completions", stacked: ["Lost com-", "pletions"]), priority: .extra(2)) { line in
      line.step.lostCompletions.map { .count(Int($0.rounded())) } ?? .count(nil, .faint)
    }
  }

  private static var stayColumns: [TableColumn<Line>] {
    [
      ofSteps(ColumnTitle("Median stay", stacked: ["Median", "stay"]), priority: .regular(1)) { .duration($0.step.dwell?.p50) },
      ofSteps(ColumnTitle("p90", alone: ["Stay", "p90"]), priority: .extra(1)) { .duration($0.step.dwell?.p90, .faint) },
    ]
  }

  private static var longestStayColumn: TableColumn<Line> {
    ofSteps("p99", priority: .extra(2)) { .duration($0.step.dwell?.p99, .faint) }
  }

  private static func label(of line: Line, in layout: DocumentLayout) -> DocumentCell {
    switch line.subject {
    case .step: .label(line.step.label)
    case .lastStep(let last):
      .label(
        .init(phrase: Phrase("last seen on \(last.label)", layout == .compact ? .faint : .plain), depth: 1))
    }
  }
}
