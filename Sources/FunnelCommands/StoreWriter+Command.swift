import FunnelLog
import FunnelModel

extension StoreWriter {
  /// Opens a store for a command, and says what was cut of one that was broken off.
  static func open(
    _ path: String, threads: Int, lockTimeout: TimeSpan, schemas: [(name: String, bytes: [UInt8])] = []
  ) throws(FunnelError) -> StoreWriter {
    var options = Options()
    options.threads = threads
    let writer = try open(path, lockTimeout: lockTimeout, options: options, schemas: schemas)
    if let recovery = writer.recovery { Console.complain(recovery) }
    return writer
  }
}
