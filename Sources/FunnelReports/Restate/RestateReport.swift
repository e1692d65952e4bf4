import FunnelModel
package import FunnelRendering

/// The report of `funnel restate`: the numbers that differ between two commits of a log, and the commits that
/// changed them.
package enum RestateReport: RowReport {
  package static let name = "restate"
  package static let heading = "Restated"

  package static let fields: [Field<RestateRow>] = [
    .text("number") { $0.number },
    .count("before") { $0.before },
    .count("after") { $0.after },
    .tree("commits") { .array($0.commits.map { .count($0) }) },
    .segment,
  ]

  package static func document(of rows: [RestateRow], in context: DocumentContext) -> ReportSection {
    var part = ReportSection(Self.self)
    let columns: [TableColumn<RestateRow>] =
      (context.query.by.isEmpty ? [] : [.label("Segment") { .label($0.key.segment) }]) + [
        .label("Number") { .text($0.number) },
        .count("Before") { $0.before },
        .count("After") { $0.after },
        .label("Difference") { .text(difference(of: $0)) },
        .label("Commits") { .text($0.commits.map(String.init).joined(separator: ", "), .faint) },
      ]
    part.blocks = [.table(DocumentTable(columns, of: rows))]
    return part
  }

  package static func addPictures(of rows: [RestateRow], in context: DocumentContext, to part: inout ReportSection) {}

  private static func difference(of row: RestateRow) -> String {
    let difference = (row.after ?? 0) - (row.before ?? 0)
    return "\(difference > 0 ? "+" : "")\(HumanNumbers.count(difference))"
  }
}

/// A number that differs between two commits of a log.
package struct RestateRow: ReportRow {
  package var key: RowKey
  package var title: String
  /// The name of the number: `funnel.entered`, `step.photos.reached`.
  package var number: String
  /// The number at the earlier commit, or `nil` if it had no such row.
  package var before: Int?
  /// The number at the later commit, or `nil` if it has no such row.
  package var after: Int?
  /// The commits that changed the number, in order.
  package var commits: [Int]

  package var groups: Int { max(before ?? 0, after ?? 0) }
}
