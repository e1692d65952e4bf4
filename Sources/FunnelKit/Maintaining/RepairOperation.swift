import FunnelDecoding
import FunnelIngest
import FunnelMaintenance
package import FunnelModel
package import FunnelStore

/// Keeps the intact data of the damaged store at a path, or returns what a repair would keep.
package enum RepairOperation {
  /// Returns what a repair would do. Changes nothing.
  package static func preview(
    _ path: String, at now: Timestamp, threads: Int, lockTimeout: TimeSpan, monitor: some OperationMonitor
  ) throws(FunnelError) -> StoreRepair.Summary {
    try summary(path, now, threads, lockTimeout, isDryRun: true, monitor)
  }

  /// Repairs the store. The index is not renewed (``renewIndex(of:threads:lockTimeout:monitor:)``).
  package static func apply(
    to path: String, at now: Timestamp, threads: Int, lockTimeout: TimeSpan, monitor: some OperationMonitor
  ) throws(FunnelError) -> StoreRepair.Summary {
    try summary(path, now, threads, lockTimeout, isDryRun: false, monitor)
  }

  /// Renews the index of a repaired store.
  package static func renewIndex(
    of path: String, threads: Int, lockTimeout: TimeSpan, monitor: some OperationMonitor
  ) throws(FunnelError) {
    let writer = try StoreWriter.open(path, lockTimeout: lockTimeout)
    monitor.noteIndexProblem(IndexMaintenance.renew(of: writer, threads: threads))
  }

  private static func summary(
    _ path: String, _ now: Timestamp, _ threads: Int, _ lockTimeout: TimeSpan, isDryRun: Bool, _ monitor: some OperationMonitor
  ) throws(FunnelError) -> StoreRepair.Summary {
    let summary = try StoreRepair.run(
      path, checker: StoredRecordChecker(), at: now, lockTimeout: lockTimeout, threads: threads, isDryRun: isDryRun)
    if let recovery = summary.recovery { monitor.note(recovery) }
    return summary
  }
}
