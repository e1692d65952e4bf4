import FunnelIngest
import FunnelJourneys
import FunnelLog
import FunnelModel

/// An erasure from the store at a path.
struct ErasureRun {
  var storePath: String
  var subjects: [String]
  var keyFile: String?
  var now: Timestamp
  var threads: Int
  var lockTimeout: TimeSpan

  /// Says what would go. Needs no lock and changes nothing.
  func rehearse() throws(FunnelError) -> ErasureReport {
    let store = try StoreReader.open(storePath)
    let erasure = Erasure(of: subjects, key: try store.pseudonymKey(keyFile))
    let findings = try findings(of: erasure, in: store)
    return ErasureReport(
      subjectCount: subjects.count, findings: findings, commit: nil, eventsInStore: store.eventCount - findings.events,
      storePath: storePath, isDryRun: true)
  }

  /// Erases.
  func carryOut() throws(FunnelError) -> ErasureReport {
    var options = StoreWriter.Options()
    options.threads = threads
    let writer = try StoreWriter.open(storePath, lockTimeout: lockTimeout, options: options)
    if let recovery = writer.recovery { Console.complain(recovery) }
    let erasure = Erasure(of: subjects, key: try writer.reader.pseudonymKey(keyFile))
    let findings = try findings(of: erasure, in: writer.reader)
    // The index goes first: it can be made anew from the log, and must never outlast what it was made of.
    var indexGoes = findings.events > 0
    if !indexGoes { indexGoes = try IndexRemoval.hasRemains(in: writer) }
    if indexGoes { try IndexRemoval.run(in: writer) }
    let commit = try erasure.commit(findings, to: writer, at: now)
    if commit != nil || indexGoes { StoreIndex.renew(of: writer, threads: threads) }
    return ErasureReport(
      subjectCount: subjects.count, findings: findings, commit: commit?.number, eventsInStore: writer.reader.eventCount,
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
