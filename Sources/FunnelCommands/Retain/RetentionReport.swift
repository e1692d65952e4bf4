import FunnelIngest
import FunnelMaintenance
import FunnelModel

/// The result of a retention, as text and as JSON.
struct RetentionReport {
  /// The dropped data.
  var findings: Retention.Findings
  /// The number of snapshots saved.
  var snapshotCount: Int
  /// The number of the commit, or `nil` if there was nothing to commit or it is a dry run.
  var commit: Int?
  /// The number of events in the store after the retention.
  var eventsInStore: Int
  var storePath: String
  var isDryRun: Bool

  /// The result as a JSON object on one line.
  var json: String { jsonObject + "\n" }

  /// The result as a JSON object without a line feed, to embed in another one.
  var jsonObject: String {
    func text(_ day: CivilDate?) -> String { day.map { "\"\($0)\"" } ?? "null" }
    return
      "{\"days\":\(findings.days.count),\"first_day\":\(text(findings.days.min())),\"last_day\":\(text(findings.days.max())),"
      + "\"events\":\(findings.events),\"dead_letters\":\(findings.deadLetters),\"parts\":\(findings.parts.count),"
      + "\"snapshots\":\(snapshotCount),\"snapshots_expired\":\(findings.snapshots),"
      + "\"commit\":\(commit.map(String.init) ?? "null"),\"events_in_store\":\(eventsInStore),\"dry_run\":\(isDryRun)}"
  }

  /// The result as a few lines of text.
  var text: String {
    var lines = [events]
    if !findings.days.isEmpty {
      lines.append("  snapshots   \(Quantity.count(snapshotCount)) \(isDryRun ? "would be saved" : "saved")")
    }
    if findings.deadLetters > 0 {
      lines.append(
        "  rejected    \(Quantity.counted(findings.deadLetters, "dead letter")) \(isDryRun ? "would be dropped" : "dropped")")
    }
    if findings.snapshots > 0 {
      lines.append(
        "  expired     \(Quantity.counted(findings.snapshots, "snapshot")) \(isDryRun ? "would be dropped" : "dropped")")
    }
    let store = "\(storePath.printable) \(isDryRun ? "would hold" : "holds") \(Quantity.counted(eventsInStore, "event"))"
    if isDryRun {
      lines.append("nothing was changed (--dry-run); \(store)")
    } else {
      lines.append((commit.map { "commit \($0)" } ?? "nothing to commit") + "; \(store)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The dropped data as a clause, to embed in a longer line.
  var line: String {
    var parts = [events]
    if findings.snapshots > 0 { parts.append("\(Quantity.counted(findings.snapshots, "snapshot")) expired") }
    return parts.joined(separator: "; ")
  }

  private var events: String {
    guard let first = findings.days.min(), let last = findings.days.max() else {
      return "no event \(isDryRun ? "would be" : "was") dropped: none is old enough"
    }
    return "\(isDryRun ? "would drop" : "dropped") \(Quantity.counted(findings.events, "event")) of"
      + " \(Quantity.counted(findings.days.count, "day")), \(first == last ? "\(first)" : "\(first) to \(last)")"
  }
}
