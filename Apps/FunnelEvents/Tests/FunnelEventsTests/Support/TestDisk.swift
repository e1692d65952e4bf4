@testable import FunnelEvents

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A disk that a test fills and empties. Files can be made and renamed on it when it is full, but not written.
final class TestDisk: Sendable {
  private let full = Guarded(false)

  var isFull: Bool {
    get { full.withLock { $0 } }
    set { full.withLock { $0 = newValue } }
  }

  func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    guard isFull else { return SystemCalls.write(descriptor, bytes) }
    errno = ENOSPC
    return -1
  }
}
