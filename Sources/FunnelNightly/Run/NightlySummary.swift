import FunnelDecoding
import FunnelKit
import FunnelModel

/// The summary that a nightly run prints at its end, as one line of text or JSON.
package struct NightlySummary {
  var outcome: NightlyOutcome
  var now: Timestamp
  /// The last day of the reports.
  var day: CivilDate
  /// The folder of this run's reports, or `nil` if they could not be written.
  var reports: String?
  /// The number of days of the log that were compacted.
  var daysCompacted: Int
  /// The result of the retention, or `nil` if it was not requested or failed.
  var retention: RetentionReport?
  /// The number of files removed from `done` by the retention, or `nil` if it was not requested or failed.
  var doneCleared: Int?
  /// The number of events in the store after the run.
  var eventsInStore: Int
  /// The flow versions whose definitions this run added to the store.
  var remembered: [String] = []
  /// The number of restatements in the database, or `nil` if no database was written.
  var restated: Int?
  /// The alarms and crossed thresholds.
  var messages: [NightlyRunMessage] = []
  /// The outcomes of the stages.
  var stages: [NightlyRunStages.Record] = []

  /// The summary as a line of text.
  package var text: String {
    var files = "\(count(outcome.filesDone, "file")) done, \(Quantity.count(outcome.filesFailed)) failed"
    if outcome.filesDamaged > 0 { files += ", \(Quantity.count(outcome.filesDamaged)) damaged" }
    if outcome.filesGrown > 0 { files += ", \(Quantity.count(outcome.filesGrown)) grown and read again" }
    if let left = outcome.left.line { files += ", \(left)" }
    var events =
      "\(count(outcome.accepted, "event")) accepted, \(count(outcome.duplicates, "duplicate")),"
      + " \(Quantity.count(outcome.rejected)) rejected"
    if outcome.rejected > 0 { events += " (\(RejectionSummary.byReason(outcome.rejectedByReason)))" }
    events += ", \(Quantity.count(outcome.unclaimed)) unclaimed"
    let place = reports.map { "reports up to \(day) in \($0.printable)" } ?? "no reports were written"
    var gone = retention.map { "; \($0.line)" } ?? ""
    if let doneCleared, doneCleared > 0 {
      gone += "; \(count(doneCleared, "file")) removed from \(NightlyInbox.Destination.done.rawValue)/"
    }
    let kept = remembered.isEmpty ? "" : "; \(RememberedFlows.text(remembered))"
    if let restated, restated > 0 { gone = "; \(count(restated, "number")) restated\(gone)" }
    let failed = stages.filter { $0.outcome == .failed }.map(\.stage.rawValue)
    if !failed.isEmpty { gone += "; failed: \(failed.joined(separator: ", "))" }
    return "nightly \(now): \(files); \(events)\(kept); \(place)\(gone)\n"
  }

  /// The summary as a JSON object on one line.
  package var json: String {
    var bytes: [UInt8] = []
    bytes.append(
      text:
        "{\"now\":\"\(now)\",\"day\":\"\(day)\",\"files_done\":\(outcome.filesDone),\"files_failed\":\(outcome.filesFailed),"
        + "\"files_damaged\":\(outcome.filesDamaged),\"files_left\":\(outcome.left.count),\"lines\":\(outcome.lines),"
        + "\"accepted\":\(outcome.accepted),\"duplicates\":\(outcome.duplicates),\"rejected\":\(outcome.rejected),"
        + "\"unclaimed\":\(outcome.unclaimed),\"rejected_by_reason\":{")
    let reasons = RejectionReason.allCases.filter { outcome.rejectedByReason[$0] != nil }
    bytes.append(text: reasons.map { "\"\($0.rawValue)\":\(outcome.rejectedByReason[$0] ?? 0)" }.joined(separator: ","))
    bytes.append(text: "},\"events_in_store\":\(eventsInStore)\(RememberedFlows.jsonMember(remembered)),\"reports\":")
    if let reports { bytes.appendJSONString(reports) } else { bytes.append(text: "null") }
    bytes.append(text: ",\"days_compacted\":\(daysCompacted),\"left\":")
    outcome.left.appendJSON(to: &bytes)
    bytes.append(text: ",\"done_removed\":\(doneCleared.map(String.init) ?? "null")")
    bytes.append(text: ",\"retention\":\(retention?.jsonObject ?? "null"),\"restated\":\(restated.map(String.init) ?? "null")")
    bytes.append(text: ",\"messages\":\(messages.json),\"stages\":{")
    bytes.append(text: stages.map { "\"\($0.stage.rawValue)\":\"\($0.outcome.rawValue)\"" }.joined(separator: ","))
    bytes.append(text: "},\"files_grown\":\(outcome.filesGrown)}\n")
    return String(decoding: bytes, as: UTF8.self)
  }

  private func count(_ number: Int, _ noun: String) -> String {
    "\(Quantity.count(number)) \(noun)\(number == 1 ? "" : "s")"
  }
}
