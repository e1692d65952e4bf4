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
}
