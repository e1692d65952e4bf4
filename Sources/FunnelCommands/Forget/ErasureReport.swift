import FunnelIngest
import FunnelMaintenance
import FunnelModel

/// The result of an erasure, as text and as JSON. It contains no subject.
struct ErasureReport {
  var subjectCount: Int
  var findings: Erasure.Findings
  /// The number of the commit, or `nil` if there was nothing to commit or it is a dry run.
  var commit: Int?
  /// The number of events in the store after the erasure.
  var eventsInStore: Int
  var storePath: String
  var isDryRun: Bool

  /// The result as a JSON object on one line.
  var json: String {
    "{\"subjects\":\(subjectCount),\"found\":\(findings.foundCount),\"forgotten_before\":\(findings.forgottenBeforeCount),"
      + "\"events\":\(findings.events),\"dead_letters\":\(findings.deadLetters),\"parts\":\(findings.parts.count),"
      + "\"mentions\":\(findings.mentions),\"remains\":\(findings.staleFileCount),\"tombstones\":\(findings.tombstoneCount),"
      + "\"commit\":\(commit.map(String.init) ?? "null"),\"events_in_store\":\(eventsInStore),\"dry_run\":\(isDryRun)}\n"
  }

  /// The result as a few lines of text.
  var text: String {
    let subjects = Quantity.counted(subjectCount, "subject")
    var lines = [
      "\(isDryRun ? "would forget" : "forgot") \(subjects): \(Quantity.counted(findings.events, "event")) and"
        + " \(Quantity.counted(findings.deadLetters, "dead letter")) \(isDryRun ? "would be " : "")deleted,"
        + " \(Quantity.counted(findings.parts.count, "part")) \(isDryRun ? "would be " : "")rewritten"
    ]
    let missing = subjectCount - findings.foundCount
    if missing > 0 {
      lines.append(
        "  not found   \(Quantity.count(missing)): the store has nothing about them; their events will be rejected all the same"
      )
    }
    if findings.forgottenBeforeCount > 0 {
      lines.append("  earlier     \(Quantity.count(findings.forgottenBeforeCount)) already forgotten")
    }
    if findings.mentions > 0 {
      lines.append(
        "  mentioned   \(Quantity.counted(findings.mentions, "event")) of other subjects"
          + " \(findings.mentions == 1 ? "contains" : "contain") a forgotten id and will stay: search with funnel log cat | grep ID"
      )
    }
    if findings.staleFileCount > 0 {
      lines.append(
        "  leftovers   \(Quantity.counted(findings.staleFileCount, "file")) in damaged/ or from an interrupted command"
          + " \(isDryRun ? "would be " : "")deleted: they contain a subject or can't be searched")
    }
    lines.append(commitLine)
    return lines.joined(separator: "\n") + "\n"
  }

  private var commitLine: String {
    let store = "\(storePath.printable) \(isDryRun ? "would hold" : "holds") \(Quantity.counted(eventsInStore, "event"))"
    if isDryRun { return "nothing was changed (--dry-run); \(store)" }
    guard let commit else { return "nothing to commit; \(store)" }
    return "commit \(commit); \(store)"
  }
}
