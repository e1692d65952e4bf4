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
    case .csv: try CSVRenderer.render(report, dialect: dialect)
    case .markdown: MarkdownRenderer.render(report.document(.long))
    case .html: HTMLRenderer.render(report.document(.long, hasPictures: true))
    }
  }
}
