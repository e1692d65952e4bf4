import FunnelKit
import FunnelMaintenance
import FunnelModel

extension ErasureOutcome {
  /// The result as a JSON object on one line.
  var json: String {
    "{\"subjects\":\(subjectCount),\"found\":\(plan.foundCount),\"forgotten_before\":\(plan.forgottenBeforeCount),"
      + "\"events\":\(plan.events),\"dead_letters\":\(plan.deadLetters),\"parts\":\(plan.logFiles.count),"
      + "\"mentions\":\(plan.mentions),\"remains\":\(plan.staleFileCount),\"tombstones\":\(plan.tombstoneCount),"
      + "\"commit\":\(commit.map(String.init) ?? "null"),\"events_in_store\":\(eventsInStore),\"dry_run\":\(isDryRun)\(personCount.map { ",\"persons\":\($0)" } ?? "")}\n"
  }

  /// The result as a few lines of text.
  var text: String {
    let subjects =
      (personCount.map { "\(Quantity.counted($0, "person")) with " } ?? "") + Quantity.counted(subjectCount, "subject")
    var lines = [
      "\(isDryRun ? "would forget" : "forgot") \(subjects): \(Quantity.counted(plan.events, "event")) and"
        + " \(Quantity.counted(plan.deadLetters, "dead letter")) \(isDryRun ? "would be " : "")deleted,"
        + " \(Quantity.counted(plan.logFiles.count, "part")) \(isDryRun ? "would be " : "")rewritten"
    ]
    let missing = subjectCount - plan.foundCount
    if missing > 0 {
      lines.append(
        "  not found   \(Quantity.count(missing)): the store has nothing about them; their events will be rejected all the same"
      )
    }
    if plan.forgottenBeforeCount > 0 {
      lines.append("  earlier     \(Quantity.count(plan.forgottenBeforeCount)) already forgotten")
    }
    if plan.mentions > 0 {
      lines.append(
        "  mentioned   \(Quantity.counted(plan.mentions, "event")) of other subjects"
          + " \(plan.mentions == 1 ? "contains" : "contain") a forgotten id and will stay: search with funnel log cat | grep ID"
      )
    }
    if plan.staleFileCount > 0 {
      lines.append(
        "  leftovers   \(Quantity.counted(plan.staleFileCount, "file")) in damaged/ or from an interrupted command"
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
