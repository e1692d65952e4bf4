package import FunnelMaintenance
import FunnelModel

/// The result of a retention, as text and as JSON.
package struct RetentionReport {
  /// The dropped data.
  package var plan: Retention.Plan
  /// The number of snapshots saved.
  var snapshotCount: Int
  /// The number of the commit, or `nil` if there was nothing to commit or it is a dry run.
  package var commit: Int?
  /// The number of events in the store after the retention.
  package var eventsInStore: Int
  package var storePath: String
  package var isDryRun: Bool

  /// The result as a JSON object on one line.
  package var json: String { jsonObject + "\n" }

  /// The result as a JSON object without a line feed, to embed in another one.
  package var jsonObject: String {
    func text(_ day: CivilDate?) -> String { day.map { "\"\($0)\"" } ?? "null" }
    return
      "{\"days\":\(plan.days.count),\"first_day\":\(text(plan.days.min())),\"last_day\":\(text(plan.days.max())),"
      + "\"events\":\(plan.events),\"dead_letters\":\(plan.deadLetters),\"parts\":\(plan.logFiles.count),"
      + "\"snapshots\":\(snapshotCount),\"snapshots_expired\":\(plan.snapshots),"
      + "\"commit\":\(commit.map(String.init) ?? "null"),\"events_in_store\":\(eventsInStore),\"dry_run\":\(isDryRun)}"
  }

  /// The result as a few lines of text.
  package var text: String {
    var lines = [events]
    if !plan.days.isEmpty {
      lines.append("  snapshots   \(Quantity.count(snapshotCount)) \(isDryRun ? "would be saved" : "saved")")
    }
    if plan.deadLetters > 0 {
      lines.append(
        "  rejected    \(Quantity.counted(plan.deadLetters, "dead letter")) \(isDryRun ? "would be dropped" : "dropped")")
    }
    if plan.snapshots > 0 {
      lines.append(
        "  expired     \(Quantity.counted(plan.snapshots, "snapshot")) \(isDryRun ? "would be dropped" : "dropped")")
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
  package var line: String {
    var parts = [events]
    if plan.snapshots > 0 { parts.append("\(Quantity.counted(plan.snapshots, "snapshot")) expired") }
    return parts.joined(separator: "; ")
  }

  private var events: String {
    guard let first = plan.days.min(), let last = plan.days.max() else {
      return "no event \(isDryRun ? "would be" : "was") dropped: none is old enough"
    }
    return "\(isDryRun ? "would drop" : "dropped") \(Quantity.counted(plan.events, "event")) of"
      + " \(Quantity.counted(plan.days.count, "day")), \(first == last ? "\(first)" : "\(first) to \(last)")"
  }
}
