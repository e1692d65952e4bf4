#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The order of records with the same time.
enum RecordOrder {
  /// Returns whether a record precedes another by its bytes.
  static func precedes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    let shared = min(a.count, b.count)
    guard shared > 0, let startA = a.baseAddress, let startB = b.baseAddress else { return a.count < b.count }
    let difference = memcmp(startA, startB, shared)
    return difference == 0 ? a.count < b.count : difference < 0
  }
}
