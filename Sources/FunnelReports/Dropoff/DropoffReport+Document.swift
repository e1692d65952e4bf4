import FunnelModel
import FunnelProjections
package import FunnelRendering

extension DropoffReport {
  package static func document(of rows: [DropoffRow], in context: DocumentContext) -> ReportSection {
    var part = ReportSection(Self.self)
    let rows = rows.labelled(for: context.query.order)
    let isClosedShown = rows.contains(where: \.hasManyInProgress)
    let otherWay = LeftOutText.countedAsDropped(context.funnels(of: rows), counting: context.noun)
      .map { DocumentBlock.statement($0) }
    switch context.layout {
    case .compact where rows.count == 1:
      // After a funnel, the segment and the numbers that dropped and are in progress are already shown.
      part.blocks =
        (context.follows(FunnelReport.self) ? [] : facts(of: rows[0], counting: context.noun)) + otherWay + steps(of: rows[0])
    case .compact:
      part.blocks =
        [.table(overview(of: rows))] + otherWay + [.matrix(shareMatrix(of: rows)), .matrix(lastStepMatrix(of: rows))]
    case .long:
      part.blocks =
        (rows.contains { $0.excluded ?? 0 > 0 } ? rows.flatMap { facts(of: $0, counting: context.noun) } : []) + otherWay
        + [.table(stepTable(of: rows.map { ($0, $0.steps) }, in: .long))]
    }
    if isClosedShown, rows.contains(where: { $0.dropped > 0 }) {
      part.explain("Shares are of the \(context.noun.plural) whose window is closed, since many are in progress")
      part.blocks.append(.closedExplanation)
    }
    return part
  }

  private static func facts(of row: DropoffRow, counting noun: CountedNoun) -> [DocumentBlock] {
    var facts = [
      Phrase("\(HumanNumbers.count(row.dropped)) of \(noun.counted(row.entered)) dropped"),
      .count(row.inProgress, "in progress"),
    ]
    if let excluded = row.excluded, excluded > 0 { facts.append(.count(excluded, "excluded")) }
    return row.segmentHeading + [.facts(facts)]
  }

  /// Returns a table of the steps at which groups dropped off, and the names of the other steps.
  private static func steps(of row: DropoffRow) -> [DocumentBlock] {
    let lossy = row.steps.filter { $0.dropped > 0 }
    let others = row.steps.filter { $0.dropped == 0 }.map { Phrase($0.label, .faint) }
    let table = lossy.isEmpty ? [] : [DocumentBlock.table(stepTable(of: [(row, lossy)], in: .compact))]
    guard let first = others.first else { return table }
    return table + [.factsOfTable([Phrase("nobody dropped at: ", .faint) + first] + others.dropFirst())]
  }

  /// Returns a table with a row for each segment.
  private static func overview(of rows: [DropoffRow]) -> DocumentTable {
    let isClosedShown = rows.contains(where: \.hasManyInProgress)
    let columns: [TableColumn<DropoffRow>] =
      [
        .label("Segment") { .label($0.key.segment) },
        TableColumn("Share dropped", priority: .regular(1), hasBar: true) {
          let whole = isClosedShown ? $0.closedEntered : $0.entered
          let share = Rate.share(isClosedShown ? $0.closedDropped : $0.dropped, of: whole)
          return .bar(.init(share: share, color: .loss), .share(share, of: whole))
        },
        .count("Dropped") { $0.dropped },
        .count("Entered", priority: .regular(2)) { $0.entered },
        .count(ColumnTitle("In progress", stacked: ["In", "progress"]), priority: .regular(2)) { $0.inProgress },
        TableColumn("Most at", role: .items, priority: .regular(3)) { row in
          guard let worst = row.steps.max(by: { $0.dropped < $1.dropped }), worst.dropped > 0 else {
            return .items([Phrase([.absent])])
          }
          return .items([Phrase("\(worst.label) (\(HumanNumbers.count(worst.dropped)))")])
        },
      ] + (rows.contains { $0.excluded ?? 0 > 0 } ? [.count("Excluded", priority: .extra(1)) { $0.excluded }] : [])
    return DocumentTable(columns, of: rows)
  }
}

extension DropoffReport {
  /// Returns the shares of the groups that dropped off at each step, of those that reached it, by segment.
  static func shareMatrix(of rows: [DropoffRow]) -> DocumentMatrix {
    precondition(!rows.isEmpty, "a matrix has a column")
    let isClosedShown = rows.contains(where: \.hasManyInProgress)
    return DocumentMatrix(
      title: isClosedShown ? "Dropped, of reached (closed windows)" : "Dropped, of reached",
      labels: rows[0].steps.map { Phrase($0.label) },
      columns: rows.map { row in
        .init(
          segment: row.key.segment,
          cells: row.steps.map { step in
            let (share, whole) = step.share(ofClosed: isClosedShown)
            return .share(share, of: whole)
          })
      })
  }

  /// Returns the shares of the dropped groups that visited another step last, by step of the drop-off and last step.
  static func lastStepMatrix(of rows: [DropoffRow]) -> DocumentMatrix {
    precondition(!rows.isEmpty, "a matrix has a column")
    let pairs = rows[0].steps.enumerated().flatMap { index, step in
      rows.lastElsewhere(step: index).map { (index: index, label: step.label, last: $0) }
    }
    return DocumentMatrix(
      title: "Last seen on, of dropped",
      labels: pairs.map { Phrase("\($0.label), then \($0.last.label)") },
      columns: rows.map { row in
        .init(
          segment: row.key.segment,
          cells: pairs.map { pair in
            guard pair.index < row.steps.count else { return .empty }
            let step = row.steps[pair.index]
            let groups = step.lastElsewhere.first { $0.id == pair.last.id }?.groups ?? 0
            return .share(Rate.share(groups, of: step.dropped), of: step.dropped)
          })
      })
  }
}

extension [DropoffRow] {
  /// Returns the other steps that groups of any row visited last before they dropped at a step. They are in the
  /// order of the flow, as far as the rows determine it.
  fileprivate func lastElsewhere(step index: Int) -> [LastStep] {
    var steps: [LastStep] = []
    for row in self where index < row.steps.count {
      var insertion = 0
      for last in row.steps[index].lastElsewhere {
        if let known = steps.firstIndex(where: { $0.id == last.id }) {
          insertion = known + 1
        } else {
          steps.insert(last, at: insertion)
          insertion += 1
        }
      }
    }
    return steps
  }
}

extension DropoffReport {
  /// Adds a bar for each step at which groups dropped, divided by the way they left. The longest bar fills the width.
  package static func addPictures(of rows: [DropoffRow], in context: DocumentContext, to part: inout ReportSection) {
    let rows = rows.labelled(for: context.query.order)
    let isClosedShown = rows.contains(where: \.hasManyInProgress)
    part.pictures = Picture.of(rows, by: context.query.by) { row in
      let lossy = row.steps.filter { $0.dropped > 0 }
      let most = lossy.map(\.dropped).max() ?? 0
      guard !lossy.isEmpty else { return [] }
      let parts = ExitKind.allCases.filter { kind in lossy.contains { $0.count(of: kind) > 0 } }
      let bars = lossy.map { step in
        let (share, whole) = step.share(ofClosed: isClosedShown)
        let value: [Phrase.Part] =
          [.text("\(HumanNumbers.count(step.dropped)) dropped", .plain)]
          + (share.map { [.text(" · ", .plain), .share($0, of: whole, .strong)] } ?? [])
        return BarChart.Bar(
          label: .init(phrase: Phrase(step.label)), lengths: parts.map { Double(step.count(of: $0)) }, whole: Double(most),
          value: Phrase(value), people: parts.map { .step(step.id, GroupState.name(of: $0)) }, segment: row.key.segment)
      }
      return [
        .chart(
          isClosedShown
            ? "Dropped, and the share of those who reached the step and whose window is closed"
            : "Dropped, and the share of those who reached the step",
          "A bar for each step as long as the number of \(context.noun.who) dropped there, split by how they left",
          .bars(BarChart(parts: parts.map { .init(name: $0.word, ink: $0.ink) }, bars: bars)))
      ]
    } bySegment: { segments in
      segmentChart(of: segments, ofClosed: isClosedShown)
    }
  }
}
