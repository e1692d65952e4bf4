import FunnelStore
import FunnelModel

extension StoreWriter {
  /// Opens a store for writing, and prints a message if the remains of an interrupted command were removed.
  static func open(_ path: String, threads: Int, lockTimeout: TimeSpan) throws(FunnelError) -> StoreWriter {
    var options = Options()
    options.threads = threads
    let writer = try open(path, lockTimeout: lockTimeout, options: options)
    if let recovery = writer.recovery { Console.complain(recovery) }
    return writer
  }
}
