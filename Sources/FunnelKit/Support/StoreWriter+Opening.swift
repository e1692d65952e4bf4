package import FunnelModel
package import FunnelStore

extension StoreWriter {
  /// Opens a store for writing, and notes that the remains of an interrupted command were removed.
  package static func open(
    _ path: String, threads: Int, lockTimeout: TimeSpan, monitor: some OperationMonitor
  ) throws(FunnelError) -> StoreWriter {
    var options = Options()
    options.threads = threads
    let writer = try open(path, lockTimeout: lockTimeout, options: options)
    if let recovery = writer.recovery { monitor.note(recovery) }
    return writer
  }
}

extension StoreReader {
  /// The total size in bytes of all log files, as recorded in the journal.
  package var coveredByteCount: Int {
    LogFileName.Area.allCases.reduce(0) { sum, area in sum + logFiles(of: area).reduce(0) { $0 + $1.bytes } }
  }
}
