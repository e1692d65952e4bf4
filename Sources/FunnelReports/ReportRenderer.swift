public import FunnelModel
public import FunnelProjections

/// Turns a report into text. Pure: no clock, no files, no locale; the same report gives the same bytes everywhere.
///
/// ```swift
/// let text = try ReportRenderer.render(report, as: .json)
/// ```
public enum ReportRenderer {
  /// Writes a report.
  ///
  /// - Parameters:
  ///   - report: What was asked and found.
  ///   - format: How to write it.
  ///   - style: What the terminal can show; only tables ask for it.
  ///   - dialect: How CSV is written; only CSV asks for it.
  /// - Returns: UTF-8 text that ends with a newline.
  /// - Throws: ``FunnelError`` (`usage`) where the format can't hold the report.
  public static func render(
    _ report: Report, as format: ReportFormat, style: TableStyle = .file, dialect: CSVDialect = .plain
  ) throws(FunnelError) -> String {
    switch format {
    case .table: TableRenderer.render(report, style: style)
    case .json: JSONRenderer.render(report)
    case .csv: try CSVRenderer.render(report, dialect: dialect)
    case .markdown: MarkdownRenderer.render(report)
    }
  }
}
