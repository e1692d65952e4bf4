import ArgumentParser
import FunnelKit
import FunnelModel
import FunnelRendering
import FunnelReports
import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The options for the format and destination of a report.
struct OutputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "\(ReportFormat.allCases.map(\.rawValue).joined(separator: ", ")) (default: by the ending of FILE, else table).",
      valueName: "format"),
    completion: .list(ReportFormat.allCases.map(\.rawValue)))
  var format: String?

  @Option(
    help: ArgumentHelp(
      "Write to this file, atomically, instead of standard output (-); .txt, .json, .csv, .md and .html select the format.",
      valueName: "file"),
    completion: .file())
  var output: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Width of tables in characters, \(TableStyle.widthMin) to \(TableStyle.widthMax) (default: the terminal's, else 100).",
      valueName: "columns"))
  var width: Int?

  @Flag(help: "Write CSV for Excel, with a byte order mark and CRLF line ends.")
  var excel = false

  /// Returns the requested format. Throws `usage` if the format cannot represent the selected reports.
  func reportFormat(selection: ReportSelection) throws(FunnelError) -> ReportFormat {
    let chosen = try reportFormat()
    if chosen == .csv, selection.names.count > 1 {
      let option = format.map { "--format \($0)" } ?? "--output \((output ?? "").printable)"
      throw FunnelError(.usage, "a CSV file holds only one report, \(option), name it: funnel report funnel \(option)")
    }
    return chosen
  }

  /// Returns the requested format of a single report.
  func reportFormat() throws(FunnelError) -> ReportFormat {
    let chosen = try chosenFormat()
    if excel, chosen != .csv {
      throw FunnelError(
        .usage, "--excel is only for CSV, the format is \(chosen.rawValue), add --format csv or leave it out")
    }
    return chosen
  }

  private func chosenFormat() throws(FunnelError) -> ReportFormat {
    if let format { return try Self.format(named: format) }
    return output.flatMap { ReportFormat(path: $0) } ?? .table
  }

  private static func format(named name: String) throws(FunnelError) -> ReportFormat {
    if let found = ReportFormat(rawValue: name) { return found }
    let names = ReportFormat.allCases.map(\.rawValue)
    let all = "give \(names.joined(separator: ", "))"
    let hint = NearestName.find(name, in: names).map { "did you mean \($0)?" } ?? all
    throw FunnelError(.usage, "no such format, --format \(name.printable), \(hint)")
  }

  func validate() throws {
    if output?.isEmpty == true { throw ValidationError("--output is empty; name a file") }
    let widths = TableStyle.widthMin...TableStyle.widthMax
    if let width, !widths.contains(width) {
      throw ValidationError("--width \(width): give \(widths.lowerBound) to \(widths.upperBound) columns")
    }
  }

  /// Writes a report to the file of `--output`, atomically, or to standard output.
  func write(_ report: Report, as format: ReportFormat) throws(FunnelError) {
    let text = try ReportRenderer.render(report, as: format, style: style, dialect: excel ? .excel : .plain)
    try OutputDestination(output).write(text)
  }

  /// The table style. `--width` overrides its width.
  ///
  /// On a terminal, tables have its width, and colors unless `NO_COLOR` is set (no-color.org). In a pipe or
  /// file they are plain.
  private var style: TableStyle {
    guard OutputDestination(output) == .standardOutput, Console.outputIsTerminal else {
      return width.map { TableStyle(width: $0, color: false, isPlain: true) } ?? .file
    }
    let isDumb = Environment["TERM"] == "dumb"
    let hasColor = (Environment["NO_COLOR"] ?? "").isEmpty && !isDumb
    return TableStyle(
      width: width ?? Environment.terminalWidth(of: STDOUT_FILENO) ?? TableStyle.file.width, color: hasColor, isPlain: isDumb)
  }
}
