#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What stands where a store should be.
enum StorePlace {
  /// Whether a store was made there, even if its journal is gone.
  static func exists(_ path: String) -> Bool {
    ["journal.ndjson", "journal.head"].contains { access("\(path)/log/\($0)", F_OK) == 0 }
  }
}
