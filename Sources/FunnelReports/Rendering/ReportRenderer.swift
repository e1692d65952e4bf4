package import FunnelModel
package import FunnelRendering

/// Renders reports as text. Rendering is pure: the output depends on no clock, file or locale.
///
/// ```swift
/// let text = try ReportRenderer.render(report, as: .json)
/// ```
package enum ReportRenderer {
  /// Returns a report in one of the formats.
  ///
  /// - Parameters:
  ///   - report: The query and its results.
  ///   - format: The output format.
  ///   - style: The capabilities of the terminal. Only tables use them.
  ///   - dialect: The variant of CSV. Only CSV uses it.
  /// - Returns: UTF-8 text that ends with a newline.
  /// - Throws: ``FunnelError`` (`usage`) if the format can't represent the report.
  package static func render(
    _ report: Report, as format: ReportFormat, style: TableStyle = .file, dialect: CSVDialect = .plain
  ) throws(FunnelError) -> String {
    switch format {
    case .table: TableRenderer.render(report.document(.compact), style: style)
    case .json: JSONRenderer.render(report)
    case .csv: try csv(report, dialect: dialect)
    case .markdown: MarkdownRenderer.render(report.document(.long))
    case .html: HTMLRenderer.render(report.document(.long, hasPictures: true))
    }
  }

  /// Returns a report as CSV (RFC 4180): a header, then one line per row, or per step or permission of it.
  private static func csv(_ report: Report, dialect: CSVDialect) throws(FunnelError) -> String {
    guard report.answers.count == 1 else {
      throw FunnelError(
        .usage, "a CSV file holds only one report, and several were asked for, name one: funnel report funnel --format csv")
    }
    return dialect.text(of: report.answers[0].csv(CSVLayout(query: report.query)))
  }
}
