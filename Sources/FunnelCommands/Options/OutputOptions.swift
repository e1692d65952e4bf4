import ArgumentParser
import FunnelModel
import FunnelProjections
import FunnelReports
import FunnelStorage

/// How and where a report is written.
struct OutputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "\(ReportFormat.allCases.map(\.rawValue).joined(separator: ", ")) (default: table).", valueName: "format"),
    completion: .list(ReportFormat.allCases.map(\.rawValue)))
  var format: String?

  @Option(
    help: ArgumentHelp("Write to this file, all or nothing, instead of standard output (-).", valueName: "file"),
    completion: .file())
  var output: String?

  /// The format asked for, if it can hold the reports selected.
  func reportFormat(selection: ReportSelection) throws(FunnelError) -> ReportFormat {
    guard let format else { return .table }
    let names = ReportFormat.allCases.map(\.rawValue)
    guard let found = ReportFormat(rawValue: format) else {
      let hint = NearestName.find(format, in: names).map { "did you mean \($0)?" } ?? "give \(names.joined(separator: ", "))"
      throw FunnelError(.usage, "no such format, --format \(format.printable), \(hint)")
    }
    if found == .csv, ![.funnel, .grants, .dropoff].contains(selection) {
      throw FunnelError(.usage, "CSV holds one report, --format csv, name it: funnel report funnel --format csv")
    }
    return found
  }

  func validate() throws {
    if output?.isEmpty == true { throw ValidationError("--output is empty; name a file") }
  }

  /// Writes a report to standard output or the file.
  func write(_ report: Report, as format: ReportFormat) throws(FunnelError) {
    let text = try ReportRenderer.render(report, as: format, style: style)
    guard let output, output != "-" else { return Console.print(text) }
    try AtomicFile.write(StoragePath(output), Array(text.utf8), permissions: .shared)
  }

  /// On a terminal as wide as it is, in colour unless `NO_COLOR` says otherwise (no-color.org); plain into a pipe or file.
  private var style: TableStyle {
    guard output == nil || output == "-", Console.outputIsTerminal else { return .file }
    let isDumb = Environment["TERM"] == "dumb"
    let hasColor = (Environment["NO_COLOR"] ?? "").isEmpty && !isDumb
    return TableStyle(width: Environment.terminalWidth(of: 1) ?? 100, color: hasColor, isPlain: isDumb)
  }
}
