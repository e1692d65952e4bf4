import FunnelModel

/// The report of `funnel restate`: the numbers that differ between two commits of a log, and the commits that
/// changed them.
public enum RestateReport: RowReport {
  public static let name = "restate"
  public static let heading = "Restated"

  public static let fields: [Field<RestateRow>] = [
    .text("number") { $0.number },
    .count("before") { $0.before },
    .count("after") { $0.after },
    .tree("commits") { .array($0.commits.map { .count($0) }) },
    .segment,
  ]

  public static func document(of rows: [RestateRow], in context: DocumentContext) -> DocumentPart {
    var part = DocumentPart(Self.self)
    let columns: [TableColumn<RestateRow>] =
      (context.query.by.isEmpty ? [] : [.label("Segment") { .label($0.key.segment) }]) + [
        .label("Number") { .text($0.number) },
        .count("Before") { $0.before },
        .count("After") { $0.after },
        .label("Difference") { .text(difference(of: $0)) },
        .label("Commits") { .text($0.commits.map(String.init).joined(separator: ", "), .faint) },
      ]
    part.blocks = [.table(DocumentTable(columns, rows: rows.map { ($0.key.segment, $0) }))]
    return part
  }

  public static func addPictures(of rows: [RestateRow], in context: DocumentContext, to part: inout DocumentPart) {}

  private static func difference(of row: RestateRow) -> String {
    let difference = (row.after ?? 0) - (row.before ?? 0)
    return "\(difference > 0 ? "+" : "")\(HumanNumbers.count(difference))"
  }
}
