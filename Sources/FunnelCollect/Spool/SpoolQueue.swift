import Dispatch
import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The batches that wait for the committer thread. Safe for many threads.
final class SpoolQueue: Sendable {
  /// Called with the result of a batch.
  typealias Completion = @Sendable (Result<Void, SpoolFailure>) -> Void

  /// A batch and its completion.
  struct Entry: Sendable {
    let batch: SpoolBatch
    let completion: Completion
  }

  /// The work of the committer thread.
  struct Group: Sendable {
    var entries: [Entry]
    /// Whether the queue was closed: no batch follows.
    var isLast: Bool
  }

  private struct State: Sendable {
    var entries: [Entry] = []
    /// The bytes of the waiting batches and of those that are being written.
    var bytes = 0
    var isClosed = false
  }

  private let bytesMax: Int
  private let state = Guarded(State())
  private let wake = DispatchSemaphore(value: 0)

  /// Creates an empty queue.
  ///
  /// - Parameter bytesMax: The most bytes that may wait. A larger batch is accepted if no other waits.
  init(bytesMax: Int) {
    self.bytesMax = bytesMax
  }

  /// Adds a batch. Returns the reason if it can't be added.
  func add(_ entry: Entry) -> SpoolFailure? {
    let (failure, isFirst) = state.withLock { (state) -> (SpoolFailure?, Bool) in
      if state.isClosed { return (.closed, false) }
      let bytes = state.bytes + entry.batch.byteCount
      if state.bytes > 0, bytes > bytesMax { return (.overloaded, false) }
      state.bytes = bytes
      state.entries.append(entry)
      return (nil, state.entries.count == 1)
    }
    if isFirst { wake.signal() }
    return failure
  }

  /// Closes the queue: no batch can be added anymore.
  func close() {
    state.withLock { $0.isClosed = true }
    wake.signal()
  }

  /// Waits for batches, the closing of the queue, or a deadline, and removes all batches.
  func takeAll(until deadline: ContinuousClock.Instant?) -> Group {
    _ = wake.wait(timeout: deadline.map(Self.time(of:)) ?? .distantFuture)
    return state.withLock { state in
      let group = Group(entries: state.entries, isLast: state.isClosed)
      state.entries = []
      return group
    }
  }

  /// Notes that batches are written, which makes room for others.
  func release(bytes: Int) {
    state.withLock { state in
      state.bytes -= bytes
      assert(state.bytes >= 0, "only what was added is released")
    }
  }

  private static func time(of deadline: ContinuousClock.Instant) -> DispatchTime {
    let remaining = max(.zero, ContinuousClock.now.duration(to: deadline))
    let (seconds, attoseconds) = remaining.components
    // Rounded up, so that the deadline is reached when the wait ends.
    return .now() + .milliseconds(Int(min(seconds, 86_400)) * 1000 + Int(attoseconds / 1_000_000_000_000_000) + 1)
  }

  /// Blocks the thread for less than a second.
  static func sleep(for pause: Duration) { _ = usleep(UInt32(pause.components.attoseconds / 1_000_000_000_000)) }
}
