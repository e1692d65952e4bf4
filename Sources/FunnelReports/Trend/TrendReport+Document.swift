import FunnelModel
package import FunnelRendering

extension TrendReport {
  package static func document(of rows: [TrendRow], in context: DocumentContext) -> ReportSection {
    var part = ReportSection(Self.self)
    let unit = rows[0].every.rawValue
    part.append(rows, in: context.layout, facts: sparklines, table: table)
    part.explain(
      "Each \(context.noun.singular) counts towards the \(unit) of the first step, each answer towards that of its pre-prompt")
    if rows.contains(where: { $0.buckets.contains(where: \.isPartial) }) {
      part.explain("partial: --since or --until lies within the \(unit), so only a part of it is counted")
    }
    if rows.contains(where: { $0.buckets.contains { !$0.isClosed } }) { part.blocks.append(.closedExplanation) }
    return part
  }

  /// Returns a sparkline of the conversion, and one of the grant rate of each permission.
  private static func sparklines(of row: TrendRow) -> [DocumentBlock] {
    let closed = row.buckets.filter(\.isClosed).map { $0.conversion?.value }
    let conversion = Phrase([
      .text("conversion by \(row.every.rawValue)  ", .plain), .sparkline(closed, open: row.buckets.count - closed.count),
    ])
    let names = row.buckets.first?.permissions.map(\.name) ?? []
    return [.facts([conversion])]
      + names.enumerated().compactMap { index, name in
        let closed = row.buckets.filter(\.isClosed).map { $0.permissions[index].grantRate?.value }
        guard closed.contains(where: { $0 != nil }) else { return nil }
        return .facts([Phrase([.text("\(name) granted  ", .plain), .sparkline(closed, open: 0)])])
      }
  }

  private static func table(of rows: [TrendRow]) -> DocumentTable {
    let columns: [TableColumn<TrendBucket>] = [
      .label(rows[0].every.rawValue.capitalizedFirst) {
        .label(.init(phrase: Phrase($0.name, $0.isClosed ? .plain : .faint)))
      },
      TableColumn("Conversion", priority: .regular(1), hasBar: true) {
        .bar(.init(share: $0.conversion?.value, color: $0.isClosed ? .regular : .light), .rate($0.conversion))
      },
      .interval(priority: .regular(2)) { $0.conversion },
      .count("Entered") { $0.entered },
      .count("Completed", priority: .regular(3)) { $0.completed },
      .count("Dropped", priority: .extra(1)) { $0.dropped },
      .count(ColumnTitle("In progress", stacked: ["In", "progress"]), priority: .extra(2)) { $0.inProgress },
      TableColumn("State", role: .items, priority: .extra(3)) {
        .items(($0.isPartial ? [Phrase("partial", .faint)] : []) + [Phrase($0.stateName, .faint)])
      },
    ]
    return DocumentTable(columns, of: rows, lines: \.buckets)
  }
}

extension TrendBucket {
  /// The state of the bucket in the table.
  fileprivate var stateName: String {
    if isFromSnapshot { return "snapshot" }
    return isClosed ? "closed" : "open"
  }
}
