import FunnelDecoding
package import FunnelModel
import FunnelStore

/// Reads every byte of the store at a path, and compares it with the journal.
package struct VerificationOperation: Sendable {
  /// The result of a verification.
  package struct Outcome: Sendable {
    /// The damage, in the order of the files. Empty if the store is intact.
    package let damage: [EventStore.Damage]
    /// The number of commits.
    package let commitCount: Int
    /// The number of events.
    package let eventCount: Int
  }

  private let storePath: String
  private let threads: Int

  package init(storePath: String, threads: Int) {
    precondition(threads > 0, "a verification needs a thread")
    self.storePath = storePath
    self.threads = threads
  }

  /// Verifies the store.
  ///
  /// - Throws: `noInput` if there is no store; `configuration` if it is of a newer version.
  package func run(monitor: some OperationMonitor) throws(FunnelError) -> Outcome {
    let reader = try StoreReader.openTolerating(storePath)
    let phase = monitor.begin("verifying", totalBytes: reader.coveredByteCount)
    let findings = try StoreVerification.run(storePath, checker: StoredRecordChecker(), threads: threads) {
      phase.update(InputProgress(events: 0, bytes: $0.bytesDone, fileBytes: $0.bytesDone))
    }
    phase.finish()
    let damage = findings.map {
      EventStore.Damage(path: $0.path, offset: $0.offset, record: $0.record, reason: $0.reason, description: "\($0)")
    }
    return Outcome(damage: damage, commitCount: reader.commits.count, eventCount: reader.eventCount)
  }
}
