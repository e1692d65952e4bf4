import FunnelModel
import FunnelProjections

extension FunnelReport {
  public static func document(of rows: [FunnelRow], in context: DocumentContext) -> DocumentPart {
    var part = DocumentPart(Self.self)
    let rows = rows.labelled(for: context.query.order)
    part.aside = "window \(TimeSpan(milliseconds: rows[0].windowMilliseconds).description)"
    switch context.layout {
    case .compact where rows.count == 1:
      part.blocks = facts(of: rows[0], counting: context.noun) + [.table(stepTable(of: rows, in: context.layout))]
    case .compact:
      part.blocks = overview(of: rows, in: context.layout) + [.matrix(stepMatrix(of: rows))]
    case .long:
      part.blocks = overview(of: rows, in: context.layout) + [.table(stepTable(of: rows, in: context.layout))]
    }
    return part
  }

  /// Returns the numbers of a single segment as sentences.
  private static func facts(of row: FunnelRow, counting noun: CountedNoun) -> [DocumentBlock] {
    var facts = [
      Phrase([
        .text("\(HumanNumbers.count(row.entered)) entered ", .plain), .arrow(.plain),
        .text(" \(HumanNumbers.count(row.completed)) completed", .plain),
      ])
    ]
    if let rate = row.conversion {
      // While many groups are in progress, an interval of the current rate would be misleading.
      facts.append(
        row.hasManyInProgress
          ? Phrase([.share(rate.value, of: rate.denominator, .plain), .text(" converted so far", .plain)])
          : Phrase([
            .share(rate.value, of: rate.denominator, .strong), .text(" conversion (95 % interval ", .plain), .interval(rate),
            .text(")", .plain),
          ]))
    }
    facts.append(Phrase("\(HumanNumbers.count(row.dropped)) dropped"))
    if let excluded = row.excluded, excluded > 0 { facts.append(.count(excluded, "excluded")) }
    let segment = row.key.segment.isEmpty ? [] : [DocumentBlock.facts([Phrase([.segment(row.key.segment)])])]
    // If many groups are in progress, they are shown with the rate of the closed groups.
    if row.hasManyInProgress { return segment + [.facts(facts), .facts([closedFact(of: row, counting: noun)])] }
    return segment + [.facts(facts + [Phrase("\(HumanNumbers.count(row.inProgress)) in progress")])]
  }

  private static func closedFact(of row: FunnelRow, counting noun: CountedNoun) -> Phrase {
    let inProgress = "\(HumanNumbers.count(row.inProgress)) in progress"
    guard row.closed.entered > 0, let rate = row.closed.conversion else {
      return Phrase("\(inProgress); no conversion window has closed yet")
    }
    return Phrase([
      .text("\(inProgress); of the \(noun.counted(row.closed.entered)) whose window has closed ", .plain),
      .share(rate.value, of: rate.denominator, .strong),
      .text(" converted (95 % interval ", .plain), .interval(rate), .text(")", .plain),
    ])
  }

  /// Returns a table with a row for each segment.
  private static func overview(of rows: [FunnelRow], in layout: DocumentLayout) -> [DocumentBlock] {
    let isClosedShown = rows.contains(where: \.hasManyInProgress)
    let rates: [TableColumn<FunnelRow>] = [
      TableColumn("Conversion", rank: 1, hasBar: true) { .bar(.init(share: $0.conversion?.value), .rate($0.conversion)) },
      .interval(rank: 2) { $0.conversion },
    ]
    let closed: [TableColumn<FunnelRow>] =
      isClosedShown ? TableColumn.closed(in: layout) { ($0.closed.conversion, $0.closed.entered) } : []
    let groups: [TableColumn<FunnelRow>] = [.count("Entered") { $0.entered }, .count("Completed", rank: 3) { $0.completed }]
    let others: [TableColumn<FunnelRow>] =
      [
        .count("Dropped", rank: 4) { $0.dropped },
        .count(ColumnTitle("In progress", stacked: ["In", "progress"]), rank: 5) { $0.inProgress },
      ] + (rows.contains { $0.excluded ?? 0 > 0 } ? [.count("Excluded", rank: 6) { $0.excluded }] : [])
    let columns: [TableColumn<FunnelRow>] =
      switch layout {
      case .compact: [.label("Segment") { .label($0.key.segment) }] + rates + closed + groups + others
      case .long:
        [TableColumn("Window") { .text(TimeSpan(milliseconds: $0.windowMilliseconds).description) }] + groups + rates + closed
          + others
      }
    let table = DocumentTable(columns, rows: rows.map { ($0.key.segment, $0) })
    return [.table(table)] + (isClosedShown ? [.closedExplanation] : [])
  }
}
