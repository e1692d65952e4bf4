import FunnelDecoding
import FunnelKit
import FunnelModel
import FunnelReports

extension ReportResponse {
  /// Writes the description of the log to standard error if it is in an explained response (``explained(namesUnknownAnswers:)``).
  func printEmptiness() { Console.notes(report.logContents, after: "nothing matched: ") }

  /// Writes notes on likely mistakes in the query or in the log to standard error.
  ///
  /// - Parameter shown: The report whose rows are described, or `nil` for ``report``.
  func printFindings(of shown: Report? = nil) throws(FunnelError) {
    Console.notes(try findings(of: shown))
  }

  /// Throws an error if the log is damaged or every line was rejected. Call this after the report has been printed.
  ///
  /// - Parameters:
  ///   - store: The path of the store, for the error.
  ///   - isFormatGiven: Whether `--from` names the format of the records.
  func throwFailure(store: String, isFormatGiven: Bool = false) throws(FunnelError) {
    if let damage { throw DamagedLog.error(damage, store: store) }
    if let counts, counts.isRefusedWhole {
      if let hint = ImportReport(aggregate: counts.imports, isFormatGiven: isFormatGiven).hint(forRefused: counts.rejected) {
        Console.printError(hint)
      }
      throw FunnelError(
        .unusableInput,
        "every line was rejected, \(Quantity.count(counts.badCount)) of \(Quantity.count(counts.lines)), fix the problems above"
      )
    }
  }
}
