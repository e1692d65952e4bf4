import FunnelModel
import FunnelProjections

/// Writes one named report as CSV (RFC 4180): a header, then one row per step or permission.
///
/// Numbers have the same precision as in JSON. An absent value is an empty cell, an empty string is `""`. Columns have the names of
/// the JSON keys, with nested keys joined by `_`, and there is one column per dimension of the query's `by`. The last three columns,
/// `as_of`, `since` and `until`, repeat the query, because a file is often separated from the command that wrote it.
struct CSVRenderer {
  private let query: ReportQuery
  private let dialect: CSVDialect

  /// Returns a report as CSV.
  ///
  /// - Throws: ``FunnelError`` (`usage`) if the report holds several named reports.
  static func render(_ report: Report, dialect: CSVDialect) throws(FunnelError) -> String {
    let renderer = CSVRenderer(query: report.query, dialect: dialect)
    switch (report.funnel, report.grants, report.dropoff) {
    case (let rows?, nil, nil):
      return renderer.text(renderer.funnelColumns, rows.flatMap { row in row.steps.map { (row: row, step: $0) } })
    case (nil, let rows?, nil):
      return renderer.text(renderer.grantColumns, rows)
    case (nil, nil, let rows?):
      return renderer.text(renderer.dropoffColumns, rows.flatMap { row in row.steps.map { (row: row, step: $0) } })
    default:
      throw FunnelError(
        .usage, "CSV holds one report, and several were asked for, name one: funnel report funnel --format csv")
    }
  }

  private func text<Row>(_ columns: [CSVColumn<Row>], _ rows: [Row]) -> String {
    let columns = columns + queryColumns()
    let lines = [columns.map(\.name)] + rows.map { row in columns.map { $0.cell(row) } }
    return lines.reduce(into: dialect.start) { $0 += $1.map(\.text).joined(separator: ",") + dialect.lineEnd }
  }
}

extension CSVRenderer {
  /// Returns the columns that every report begins with.
  func flowColumns<Row>(_ key: @escaping (Row) -> RowKey) -> [CSVColumn<Row>] {
    [.text("app") { key($0).app }, .text("flow") { key($0).flow }, .count("version") { key($0).version }]
  }

  /// Returns one column per dimension. A repeated dimension has only one column, and `version` is left out because it already has its
  /// own.
  func segmentColumns<Row>(_ key: @escaping (Row) -> RowKey) -> [CSVColumn<Row>] {
    query.by.enumerated().filter { query.by.firstIndex(of: $1) == $0 && $1 != .version }.map { place, dimension in
      .value("\(dimension.description)") { place < key($0).segment.count ? key($0).segment[place] : .null }
    }
  }

  /// Returns the columns that every report ends with.
  private func queryColumns<Row>() -> [CSVColumn<Row>] {
    let (asOf, since, until) = (query.now.description, query.since?.description, query.until?.description)
    return [.text("as_of") { _ in asOf }, .text("since") { _ in since }, .text("until") { _ in until }]
  }
}
