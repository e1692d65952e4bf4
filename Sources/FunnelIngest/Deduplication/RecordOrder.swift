#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The order of records of one time.
enum RecordOrder {
  /// Whether a record comes before another by its bytes.
  static func precedes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    let shared = min(a.count, b.count)
    guard shared > 0, let startA = a.baseAddress, let startB = b.baseAddress else { return a.count < b.count }
    let difference = memcmp(startA, startB, shared)
    return difference == 0 ? a.count < b.count : difference < 0
  }
}
