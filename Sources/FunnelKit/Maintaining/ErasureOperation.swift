import FunnelDecoding
package import FunnelMaintenance
package import FunnelModel
import FunnelStore

/// The result of an erasure. It contains no subject.
package struct ErasureOutcome: Sendable {
  /// The number of subjects to erase.
  package let subjectCount: Int
  /// The data that the erasure removes.
  package let plan: Erasure.Plan
  /// The number of the commit, or `nil` if there was nothing to commit or it is a dry run.
  package let commit: Int?
  /// The number of events in the store after the erasure.
  package let eventsInStore: Int
  package let storePath: String
  package let isDryRun: Bool
}

/// Erases subjects from the store at a path, or returns what an erasure would remove.
package struct ErasureOperation: Sendable {
  package var storePath: String
  package var subjects: [String]
  /// The file with the key of the pseudonyms, or `nil` for the default file in the store.
  package var keyFile: String?
  package var now: Timestamp
  package var threads: Int
  package var lockTimeout: TimeSpan

  package init(
    storePath: String, subjects: [String], keyFile: String?, now: Timestamp, threads: Int, lockTimeout: TimeSpan
  ) {
    precondition(threads > 0, "an erasure needs a thread")
    self.storePath = storePath
    self.subjects = subjects
    self.keyFile = keyFile
    self.now = now
    self.threads = threads
    self.lockTimeout = lockTimeout
  }

  /// Returns what an erasure would remove. Neither locks nor changes the store.
  package func preview(monitor: some OperationMonitor) throws(FunnelError) -> ErasureOutcome {
    let store = try StoreReader.open(storePath)
    let erasure = Erasure(of: subjects, key: try store.pseudonymKey(keyFile))
    let plan = try plan(of: erasure, in: store, monitor)
    return ErasureOutcome(
      subjectCount: subjects.count, plan: plan, commit: nil, eventsInStore: store.eventCount - plan.events,
      storePath: storePath, isDryRun: true)
  }

  /// Erases the subjects in one commit.
  package func apply(monitor: some OperationMonitor) throws(FunnelError) -> ErasureOutcome {
    let writer = try StoreWriter.open(storePath, threads: threads, lockTimeout: lockTimeout, monitor: monitor)
    let erasure = Erasure(of: subjects, key: try writer.reader.pseudonymKey(keyFile))
    let plan = try plan(of: erasure, in: writer.reader, monitor)
    let outcome = try erasure.apply(plan, on: writer, at: now, threads: threads)
    monitor.noteIndexProblem(outcome.indexProblem)
    return ErasureOutcome(
      subjectCount: subjects.count, plan: plan, commit: outcome.commit?.number, eventsInStore: writer.reader.eventCount,
      storePath: storePath, isDryRun: false)
  }

  /// Searches the store for the subjects.
  private func plan(
    of erasure: Erasure, in store: StoreReader, _ monitor: some OperationMonitor
  ) throws(FunnelError) -> Erasure.Plan {
    let phase = monitor.begin("searching", totalBytes: store.coveredByteCount)
    defer { phase.finish() }
    return try erasure.plan(in: store, at: now, threads: threads) { bytes in
      phase.update(InputProgress(events: 0, bytes: bytes, fileBytes: bytes))
    }
  }
}
