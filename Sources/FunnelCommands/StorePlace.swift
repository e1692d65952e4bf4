import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What stands where a store should be.
enum StorePlace {
  /// Whether a store was made there.
  static func exists(_ path: String) -> Bool {
    access("\(path)/log/journal.ndjson", F_OK) == 0
  }

  /// The error for a command that needs a store and found none.
  static func missing(_ path: String) -> FunnelError {
    FunnelError(.noInput, "there is no store, \(path.printable), make one with: funnel ingest --store \(path.printable) FILE")
  }
}
