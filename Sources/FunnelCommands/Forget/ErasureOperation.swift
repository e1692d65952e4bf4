import FunnelIngest
import FunnelMaintenance
import FunnelStore
import FunnelModel

/// Erases subjects from the store at a path, or reports what an erasure would remove.
struct ErasureOperation {
  var storePath: String
  var subjects: [String]
  /// The file with the key of the pseudonyms, or `nil` for the default file in the store.
  var keyFile: String?
  var now: Timestamp
  var threads: Int
  var lockTimeout: TimeSpan

  /// Returns what an erasure would remove. Neither locks nor changes the store.
  func rehearse() throws(FunnelError) -> ErasureReport {
    let store = try StoreReader.open(storePath)
    let erasure = Erasure(of: subjects, key: try store.pseudonymKey(keyFile))
    let findings = try findings(of: erasure, in: store)
    return ErasureReport(
      subjectCount: subjects.count, findings: findings, commit: nil, eventsInStore: store.eventCount - findings.events,
      storePath: storePath, isDryRun: true)
  }

  /// Erases the subjects in one commit.
  func apply() throws(FunnelError) -> ErasureReport {
    let writer = try StoreWriter.open(storePath, threads: threads, lockTimeout: lockTimeout)
    let erasure = Erasure(of: subjects, key: try writer.reader.pseudonymKey(keyFile))
    let findings = try findings(of: erasure, in: writer.reader)
    let outcome = try erasure.apply(findings, on: writer, at: now, threads: threads)
    Console.complain(aboutIndex: outcome.indexProblem)
    return ErasureReport(
      subjectCount: subjects.count, findings: findings, commit: outcome.commit?.number, eventsInStore: writer.reader.eventCount,
      storePath: storePath, isDryRun: false)
  }

  /// Searches the store for the subjects, with a line of progress.
  private func findings(of erasure: Erasure, in store: StoreReader) throws(FunnelError) -> Erasure.Findings {
    let progress = ProgressLine(label: "searching", totalBytes: store.coveredByteCount)
    defer { progress.finish() }
    return try erasure.findings(in: store, at: now, threads: threads) { bytes in
      progress.update(InputProgress(events: 0, bytes: bytes, fileBytes: bytes))
    }
  }
}
