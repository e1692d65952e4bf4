import FunnelSystem

/// Adds up the bytes that all threads have verified, and reports the progress.
final class VerificationCounter: Sendable {
  private let done = Guarded(0)
  private let total: Int
  private let progress: @Sendable (StoreVerification.Progress) -> Void

  init(total: Int, progress: @escaping @Sendable (StoreVerification.Progress) -> Void) {
    self.total = total
    self.progress = progress
  }

  /// Adds a number of bytes, and reports the sum. May be called on any thread.
  func add(_ bytes: Int) {
    let sum = done.withLock { done in
      done += bytes
      return done
    }
    progress(.init(bytesDone: sum, bytesTotal: total))
  }
}
