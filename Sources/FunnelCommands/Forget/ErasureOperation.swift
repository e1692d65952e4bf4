import FunnelIngest
import FunnelMaintenance
import FunnelStore
import FunnelModel

/// An erasure from the store at a path.
struct ErasureOperation {
  var storePath: String
  var subjects: [String]
  var keyFile: String?
  var now: Timestamp
  var threads: Int
  var lockTimeout: TimeSpan

  /// Reports what an erasure would remove, without taking the lock or changing anything.
  func rehearse() throws(FunnelError) -> ErasureReport {
    let store = try StoreReader.open(storePath)
    let erasure = Erasure(of: subjects, key: try store.pseudonymKey(keyFile))
    let findings = try findings(of: erasure, in: store)
    return ErasureReport(
      subjectCount: subjects.count, findings: findings, commit: nil, eventsInStore: store.eventCount - findings.events,
      storePath: storePath, isDryRun: true)
  }

  /// Commits the erasure.
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

  private func findings(of erasure: Erasure, in store: StoreReader) throws(FunnelError) -> Erasure.Findings {
    let progress = ProgressLine(label: "searching", totalBytes: store.coveredByteCount)
    defer { progress.finish() }
    return try erasure.findings(in: store, at: now, threads: threads) { bytes in
      progress.update(InputProgress(events: 0, bytes: bytes, fileBytes: bytes))
    }
  }
}
