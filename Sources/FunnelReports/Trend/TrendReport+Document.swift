import FunnelModel
import FunnelProjections

extension TrendReport {
  public static func document(of rows: [TrendRow], in context: DocumentContext) -> DocumentPart {
    var part = DocumentPart(Self.self)
    switch context.layout {
    case .compact:
      part.append(eachOf: rows) { row in
        let open = row.buckets.filter { !$0.isClosed }
        let closed = row.buckets.filter(\.isClosed).map { $0.conversion?.value }
        return [
          .facts([
            Phrase([.text("conversion by \(row.every.rawValue)  ", .plain), .sparkline(closed, open: open.count)])
          ])
        ]
          + grantLines(of: row) + [.table(table(of: [(row.key.segment, row)]))]
      }
    case .long: part.blocks = [.table(table(of: rows.map { ($0.key.segment, $0) }))]
    }
    part.blocks.append(
      .explanation(
        "Each \(context.noun.singular) counts towards the \(rows[0].every.rawValue) of the first step, each answer towards that of its pre-prompt"
      ))
    if rows.contains(where: { $0.buckets.contains(where: \.isPartial) }) {
      part.blocks.append(
        .explanation("partial: --since or --until lies within the \(rows[0].every.rawValue), so only a part of it is counted"))
    }
    if rows.contains(where: { $0.buckets.contains { !$0.isClosed } }) { part.blocks.append(.closedExplanation) }
    return part
  }

  /// Returns a sparkline of the grant rate of each permission.
  private static func grantLines(of row: TrendRow) -> [DocumentBlock] {
    let names = row.buckets.first?.permissions.map(\.name) ?? []
    return names.enumerated().compactMap { index, name in
      let closed = row.buckets.filter(\.isClosed).map { $0.permissions[index].grantRate?.value }
      guard closed.contains(where: { $0 != nil }) else { return nil }
      return .facts([Phrase([.text("\(name) granted  ", .plain), .sparkline(closed, open: 0)])])
    }
  }

  private static func table(of rows: [(segment: [PropertyValue], row: TrendRow)]) -> DocumentTable {
    let columns: [TableColumn<TrendBucket>] = [
      .label(rows[0].row.every.rawValue.capitalizedFirst) {
        .label(.init(phrase: Phrase($0.name, $0.isClosed ? .plain : .faint)))
      },
      TableColumn("Conversion", rank: 1, hasBar: true) {
        .bar(.init(share: $0.conversion?.value, color: $0.isClosed ? .regular : .light), .rate($0.conversion))
      },
      .interval(rank: 2) { $0.conversion },
      .count("Entered") { $0.entered },
      .count("Completed", rank: 3) { $0.completed },
      .count("Dropped", rank: 4) { $0.dropped },
      .count(ColumnTitle("In progress", stacked: ["In", "progress"]), rank: 5) { $0.inProgress },
      TableColumn("State", role: .items, rank: 6) {
        .items(
          ($0.isPartial ? [Phrase("partial", .faint)] : [])
            + [Phrase($0.isFromSnapshot ? "snapshot" : $0.isClosed ? "closed" : "open", .faint)])
      },
    ]
    return DocumentTable(columns, rows: rows.flatMap { segment, row in row.buckets.map { (segment, $0) } })
  }
}

extension String {
  /// The text with a capital first letter.
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
