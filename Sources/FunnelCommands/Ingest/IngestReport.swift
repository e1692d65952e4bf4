import FunnelDecoding
import FunnelIngest
import FunnelKit
import FunnelModel

/// The summary of an ingest, as text and as JSON.
struct IngestReport {
  var summary: IngestSummary
  var catalog: FlowCatalog
  var storePath: String
  var isDryRun: Bool
  /// The flow versions whose definitions this ingest added to the store.
  var remembered: [String] = []

  /// The summary as JSON, as in specification section 5.
  var json: String {
    var bytes: [UInt8] = []
    bytes.append(
      text: "{\"inputs\":\(summary.inputs),\"lines\":\(summary.lines),\"accepted\":\(summary.accepted),"
        + "\"duplicates\":\(summary.duplicates),\"rejected\":\(summary.rejected),\"unclaimed\":\(summary.unclaimed),\"rejected_by_reason\":{"
    )
    let reasons = RejectionReason.allCases.filter { summary.rejectedByReason[$0] != nil }
    for (index, reason) in reasons.enumerated() {
      bytes.append(text: "\(index > 0 ? "," : "")\"\(reason.rawValue)\":\(summary.rejectedByReason[reason] ?? 0)")
    }
    bytes.append(text: "},\"first_ts\":")
    append(summary.timestamps?.lowerBound, to: &bytes)
    bytes.append(text: ",\"last_ts\":")
    append(summary.timestamps?.upperBound, to: &bytes)
    bytes.append(
      text:
        ",\"commit\":\(summary.commit.map(String.init) ?? "null"),\"events_in_store\":\(summary.eventsInStore),\"dry_run\":\(isDryRun)"
    )
    bytes.append(text: RememberedFlows.jsonMember(remembered))
    bytes += ImportReport(aggregate: summary.imports).json
    bytes.append(text: "}\n")
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The summary as a few lines of text.
  var text: String {
    var lines = [
      "\(isDryRun ? "would accept" : "accepted") \(Quantity.count(summary.accepted)) of \(Quantity.counted(summary.lines, "line"))"
        + " from \(Quantity.counted(summary.inputs, "input"))\(spanText)"
    ]
    if summary.duplicates > 0 { lines.append("  duplicates  \(Quantity.count(summary.duplicates))") }
    if summary.rejected > 0 {
      lines.append("  rejected    \(Quantity.count(summary.rejected)): \(RejectionSummary.byReason(summary.rejectedByReason))")
      // Rejected lines of forgotten subjects are counted but not stored, so `rejected ls` does not list them.
      if !isDryRun, summary.rejected > summary.rejectedByReason[.forgotten] ?? 0 {
        lines.append("              see them with: \(CommandHint.text("rejected ls", store: storePath))")
      }
      // A dry run stores no dead letters, so a few rejections are shown here.
      let refusals = isDryRun ? summary.firstRefusals : []
      lines += refusals.map { "              \(RejectionReport.text($0))" }
    }
    if summary.unclaimed > 0 { lines += unclaimedLines }
    lines += ImportReport(aggregate: summary.imports).lines
    if !remembered.isEmpty { lines.append("  definitions \(RememberedFlows.text(remembered))") }
    lines.append(commitLine)
    return lines.joined(separator: "\n") + "\n"
  }

  /// The error for an ingest that rejected every line.
  var allRejectedError: FunnelError {
    let what = "every line was rejected, \(Quantity.count(summary.rejected)) of \(Quantity.count(summary.lines))"
    guard isDryRun else {
      return FunnelError(.unusableInput, "\(what), see them with '\(CommandHint.text("rejected ls", store: storePath))'")
    }
    let first = summary.mostFrequentRefusal.map { ", fix it: \(RejectionReport.text($0))" }
    return FunnelError(.unusableInput, "\(what)\(first ?? "")")
  }

  private var spanText: String {
    guard let span = summary.timestamps else { return "" }
    return ", \(span.lowerBound) to \(span.upperBound)"
  }

  private var commitLine: String {
    let store =
      "\(storePath.printable) \(isDryRun ? "would hold" : "holds") \(Quantity.counted(summary.eventsInStore, "event"))"
    if isDryRun { return "nothing was committed (--dry-run); \(store)" }
    guard let commit = summary.commit else { return "nothing new to commit; \(store)" }
    return "commit \(commit); \(store)"
  }

  /// The notes on unclaimed events for standard error, used if the summary is not printed as text.
  var unclaimedNotes: [String] {
    guard summary.unclaimed > 0 else { return [] }
    return [
      "\(Quantity.counted(summary.unclaimed, "event")) of \(Quantity.count(summary.accepted)) that no flow declares, kept all the same:"
    ]
      + unclaimedNames.map { "  \($0)" }
  }

  private var unclaimedLines: [String] {
    ["  unclaimed   \(Quantity.count(summary.unclaimed)): no flow declares these events; they are kept"]
      + unclaimedNames.map { "              \($0)" }
  }

  /// The unclaimed event names, most frequent first, each with advice such as the declared name that was
  /// probably meant.
  private var unclaimedNames: [String] {
    let names = UnclaimedReport.names(summary.unclaimedNames)
    let shown = names.prefix(Self.unclaimedShownMax).map { name, count in
      "\(Quantity.count(count)) × \(UnclaimedReport.text(name, advisedBy: catalog))"
    }
    let hiddenCount = names.count - shown.count
    return shown + (hiddenCount > 0 ? ["and \(Quantity.counted(hiddenCount, "more name"))"] : [])
  }

  /// The largest number of unclaimed names shown.
  private static let unclaimedShownMax = 10

  /// Appends a timestamp as a JSON string, or `null`.
  private func append(_ timestamp: Timestamp?, to bytes: inout [UInt8]) {
    guard let timestamp else { return bytes.append(text: "null") }
    bytes.append(UInt8(ascii: "\""))
    timestamp.append(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }
}
