import FunnelModel
import FunnelProjections
import FunnelRendering

extension DropoffReport {
  /// A line of the step table: a step at which groups dropped off, or another step that some of them visited last.
  private struct Line {
    let row: DropoffRow
    let step: DropoffStepRow
    /// The other step, or `nil` for the step itself.
    var last: LastStep?
    /// The largest number of groups that dropped off at one step.
    let worst: Int
    /// The largest share of groups that dropped off at one step.
    let worstShare: Double
    /// Whether shares are those of the groups whose window has closed.
    let isClosedShown: Bool

    /// The share of those who reached the step that dropped there, and its denominator.
    var share: (share: Double?, of: Int) { step.share(ofClosed: isClosedShown) }

    /// The share of those who entered that dropped at the step, and its denominator.
    var shareOfStart: (share: Double?, of: Int) {
      guard isClosedShown else { return (step.shareOfEntered, row.entered) }
      return (Rate.share(step.closed.dropped, of: row.closedEntered), row.closedEntered)
    }

    /// Returns a cell for the line of the step itself, or an empty one for that of another step.
    func ofStep(_ cell: DocumentCell) -> DocumentCell { last == nil ? cell : .empty }
  }

  /// Returns a table with a row for each step, and for each other step that was visited last.
  static func stepTable(
    of rows: [(row: DropoffRow, steps: [DropoffStepRow])], in layout: DocumentLayout
  ) -> DocumentTable {
    let isClosedShown = rows.contains { $0.row.hasManyInProgress }
    let label = TableColumn<Line>.label("Dropped at") { self.label(of: $0, in: layout) }
    let share = TableColumn<Line>(
      ColumnTitle("Of reached", inLine: "of reached", stacked: ["of", "reached"]), rank: 3, hasBar: true
    ) {
      // Shares are usually small, so the largest one fills the bar.
      let (share, whole) = $0.share
      let worst = $0.worstShare
      return $0.ofStep(.bar(.init(share: share.map { $0 / worst }, color: .loss), .share(share, of: whole)))
    }
    let start = TableColumn<Line>(ColumnTitle("Of start", inLine: "of start", stacked: ["of", "start"]), rank: 2) {
      let (share, whole) = $0.shareOfStart
      return $0.ofStep(.share(share, of: whole))
    }
    let dropped = TableColumn<Line>("Dropped") { line in
      if let last = line.last { return .count(last.groups, .faint) }
      return .count(line.step.dropped, line.step.dropped == line.worst && line.worst > 0 ? .loss : .plain)
    }
    let left = TableColumn<Line>("How they left", role: .items) { ways(of: $0, in: layout) }
    let stay = [
      TableColumn<Line>(ColumnTitle("Median stay", stacked: ["Median", "stay"]), rank: 1) {
        $0.ofStep(.duration($0.step.dwell?.p50))
      },
      TableColumn<Line>(ColumnTitle("p90", alone: ["Stay", "p90"]), rank: 4) {
        $0.ofStep(.duration($0.step.dwell?.p90, .faint))
      },
    ]
    let open = TableColumn<Line>.count(ColumnTitle("In progress", stacked: ["In", "progress"]), rank: 3) {
      $0.last == nil ? $0.step.inProgress : nil
    }
    let lost = TableColumn<Line>(ColumnTitle("Lost completions", stacked: ["Lost com-", "pletions"]), rank: 5) {
      $0.ofStep($0.step.lostCompletions.map { .count(Int($0.rounded())) } ?? .count(nil, .faint))
    }
    let longest = TableColumn<Line>("p99", rank: 5) { $0.ofStep(.duration($0.step.dwell?.p99, .faint)) }
    let inProgress = isClosedShown ? [open] : []
    let columns =
      layout == .compact
      ? [label, share, start, dropped] + inProgress + [left, lost] + stay
      : [label, left, dropped] + inProgress + [share, start, lost] + stay + [longest]
    return table(columns, rows.flatMap { lines(of: $0.row, $0.steps, isClosedShown: isClosedShown) })
  }

  private static func table(_ columns: [TableColumn<Line>], _ lines: [Line]) -> DocumentTable {
    var table = DocumentTable(columns, rows: lines.map { ($0.row.key.segment, $0) })
    for (index, line) in lines.enumerated() where line.last != nil { table.rows[index].isDetail = true }
    return table
  }

  private static func lines(of row: DropoffRow, _ steps: [DropoffStepRow], isClosedShown: Bool) -> [Line] {
    let worst = steps.map(\.dropped).max() ?? 0
    let shares = steps.compactMap { $0.share(ofClosed: isClosedShown).share }.filter { $0 > 0 }
    let worstShare = shares.max() ?? 1
    return steps.flatMap { step in
      ([nil] + step.lastElsewhere.map { $0 as LastStep? }).map {
        Line(row: row, step: step, last: $0, worst: worst, worstShare: worstShare, isClosedShown: isClosedShown)
      }
    }
  }

  private static func label(of line: Line, in layout: DocumentLayout) -> DocumentCell {
    guard let last = line.last else { return .label(line.step.label) }
    let emphasis: Emphasis = layout == .compact ? .faint : .plain
    return .label(.init(phrase: Phrase("last seen on \(last.label)", emphasis), depth: 1))
  }

  /// Returns the ways in which groups left at a step, or the share of them that visited another step last.
  private static func ways(of line: Line, in layout: DocumentLayout) -> DocumentCell {
    guard let last = line.last else {
      let items = line.step.exitsByCount.map { Phrase("\(HumanNumbers.count($0.count)) \($0.kind.word)") }
      return .items(items)
    }
    guard let share = line.step.share(of: last) else { return .items([Phrase([.absent])]) }
    return .items([Phrase([.share(share, of: line.step.dropped, .faint), .text(" of them", .faint)])])
  }
}
