public import FunnelModel

/// Renders a report as text. Rendering is pure: it uses no clock, file or locale, so the same report gives the same bytes everywhere.
///
/// ```swift
/// let text = try ReportRenderer.render(report, as: .json)
/// ```
public enum ReportRenderer {
  /// Returns a report in one of the formats.
  ///
  /// - Parameters:
  ///   - report: The query and its results.
  ///   - format: The output format.
  ///   - style: The capabilities of the terminal; only tables use them.
  ///   - dialect: The variant of CSV; only CSV uses it.
  /// - Returns: UTF-8 text that ends with a newline.
  /// - Throws: ``FunnelError`` (`usage`) if the format can't hold the report.
  public static func render(
    _ report: Report, as format: ReportFormat, style: TableStyle = .file, dialect: CSVDialect = .plain
  ) throws(FunnelError) -> String {
    switch format {
    case .table: TableRenderer.render(report, style: style)
    case .json: JSONRenderer.render(report)
    case .csv: try CSVRenderer.render(report, dialect: dialect)
    case .markdown: MarkdownRenderer.render(report)
    case .html: PageRenderer.render(report)
    }
  }
}
