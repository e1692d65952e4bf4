import FunnelModel
import FunnelProjections

extension DropoffReport {
  public static func document(of rows: [DropoffRow], in context: DocumentContext) -> DocumentPart {
    var part = DocumentPart(Self.self)
    let rows = rows.labelled(for: context.query.order)
    let isClosedShown = rows.contains(where: \.hasManyInProgress)
    switch context.layout {
    case .compact where rows.count == 1:
      // After a funnel, the segment and the numbers that dropped and are in progress are already shown.
      part.blocks = (context.follows(FunnelReport.self) ? [] : facts(of: rows[0], counting: context.noun)) + steps(of: rows[0])
    case .compact:
      part.blocks = [.table(overview(of: rows)), .matrix(shareMatrix(of: rows)), .matrix(lastStepMatrix(of: rows))]
    case .long:
      part.blocks =
        (rows.contains { $0.excluded ?? 0 > 0 } ? rows.flatMap { facts(of: $0, counting: context.noun) } : [])
        + [.table(stepTable(of: rows.map { ($0, $0.steps) }, in: .long))]
    }
    if isClosedShown, rows.contains(where: { $0.dropped > 0 }) {
      part.blocks += [
        .explanation("Shares are of the \(context.noun.plural) whose window is closed, since many are in progress"),
        .closedExplanation,
      ]
    }
    return part
  }

  private static func facts(of row: DropoffRow, counting noun: CountedNoun) -> [DocumentBlock] {
    let segment = row.key.segment.isEmpty ? [] : [DocumentBlock.facts([Phrase([.segment(row.key.segment)])])]
    var facts = [
      Phrase("\(HumanNumbers.count(row.dropped)) of \(noun.counted(row.entered)) dropped"),
      .count(row.inProgress, "in progress"),
    ]
    if let excluded = row.excluded, excluded > 0 { facts.append(.count(excluded, "excluded")) }
    return segment + [.facts(facts)]
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
        TableColumn("Share dropped", rank: 1, hasBar: true) {
          let whole = isClosedShown ? $0.closedEntered : $0.entered
          let share = Rate.share(isClosedShown ? $0.closedDropped : $0.dropped, of: whole)
          return .bar(.init(share: share, color: .loss), .share(share, of: whole))
        },
        .count("Dropped") { $0.dropped },
        .count("Entered", rank: 2) { $0.entered },
        .count(ColumnTitle("In progress", stacked: ["In", "progress"]), rank: 2) { $0.inProgress },
        TableColumn("Most at", role: .items, rank: 3) { row in
          guard let worst = row.steps.max(by: { $0.dropped < $1.dropped }), worst.dropped > 0 else {
            return .items([Phrase([.absent])])
          }
          return .items([Phrase("\(worst.label) (\(HumanNumbers.count(worst.dropped)))")])
        },
      ] + (rows.contains { $0.excluded ?? 0 > 0 } ? [.count("Excluded", rank: 4) { $0.excluded }] : [])
    return DocumentTable(columns, rows: rows.map { ($0.key.segment, $0) })
  }
}
