import FunnelModel
import FunnelRendering

/// Renders a report as CSV (RFC 4180): a header, then one line per step or permission.
///
/// Numbers have the same precision as in JSON. An absent value is an empty cell, an empty string is `""`.
enum CSVRenderer {
  /// Returns a report as CSV.
  ///
  /// - Throws: ``FunnelError`` (`usage`) unless there is exactly one report.
  static func render(_ report: Report, dialect: CSVDialect) throws(FunnelError) -> String {
    guard report.answers.count == 1 else {
      throw FunnelError(
        .usage, "a CSV file holds only one report, and several were asked for, name one: funnel report funnel --format csv")
    }
    return dialect.text(of: report.answers[0].csv(CSVLayout(query: report.query)))
  }
}
