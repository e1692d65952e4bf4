import FunnelDecoding
package import FunnelMaintenance
package import FunnelModel
package import FunnelStore

extension LogCompaction {
  /// Compacts the log, with a phase of its own.
  package func run(on writer: StoreWriter, monitor: some OperationMonitor) throws(FunnelError) -> StoreCompaction.Summary {
    let phase = monitor.begin("compacting", totalBytes: nil)
    defer { phase.finish() }
    let (summary, problem) = try run(on: writer) { bytes in
      phase.update(InputProgress(events: 0, bytes: bytes, fileBytes: bytes))
    }
    monitor.noteIndexProblem(problem)
    return summary
  }

  /// Compacts the log of the store at a path.
  package func apply(
    to path: String, threads: Int, lockTimeout: TimeSpan, monitor: some OperationMonitor
  ) throws(FunnelError) -> StoreCompaction.Summary {
    try StoreReader.requireStore(path)
    return try run(
      on: StoreWriter.open(path, threads: threads, lockTimeout: lockTimeout, monitor: monitor), monitor: monitor)
  }

  /// Returns what a compaction of the store at a path would do.
  package func preview(ofStoreAt path: String) throws(FunnelError) -> StoreCompaction.Summary {
    try preview(of: StoreReader.open(path))
  }
}
