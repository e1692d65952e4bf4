import FunnelDecoding
import FunnelMaintenance
package import FunnelModel
package import FunnelStore

/// Keeps the intact data of the damaged store at a path, or returns what a repair would keep.
package struct RepairOperation {
  private let storePath: String
  private let threads: Int
  private let lockTimeout: TimeSpan

  package init(storePath: String, threads: Int, lockTimeout: TimeSpan) {
    precondition(threads > 0, "a repair needs a thread")
    self.storePath = storePath
    self.threads = threads
    self.lockTimeout = lockTimeout
  }

  /// Repairs the store. The index is not renewed (``renewIndex(monitor:)``).
  ///
  /// - Parameter isDryRun: Whether to return what a repair would do without changing anything.
  package func run(
    at now: Timestamp, isDryRun: Bool, monitor: some OperationMonitor
  ) throws(FunnelError) -> StoreRepair.Summary {
    let summary = try StoreRepair.run(
      storePath, checker: StoredRecordChecker(), at: now, lockTimeout: lockTimeout, threads: threads, isDryRun: isDryRun)
    if let recovery = summary.recovery { monitor.note(recovery) }
    return summary
  }

  /// Renews the index of the repaired store.
  package func renewIndex(monitor: some OperationMonitor) throws(FunnelError) {
    let writer = try StoreWriter.open(storePath, lockTimeout: lockTimeout)
    monitor.noteIndexProblem(IndexMaintenance.renew(of: writer, threads: threads))
  }
}
