import FunnelModel
import NIOConcurrencyHelpers
import NIOCore

extension UploadConnection {
  /// The event that tells a connection to close after the requests in progress.
  struct Finish: Sendable {}

  /// What all connections of a server share.
  final class Shared: Sendable {
    let service: any UploadService
    let limits: UploadLimits
    /// Returns the current time.
    let clock: @Sendable () -> Timestamp
    let connections: OpenConnections
    let budget: MemoryBudget
    private let isStopped = NIOLockedValueBox(false)

    init(service: any UploadService, limits: UploadLimits, clock: @escaping @Sendable () -> Timestamp) {
      self.service = service
      self.limits = limits
      self.clock = clock
      connections = OpenConnections(max: limits.connections)
      budget = MemoryBudget(bytesMax: limits.bufferedBytes)
    }

    /// Runs a closure on an event loop, unless the server has stopped.
    func run(on loop: any EventLoop, _ body: @escaping @Sendable () -> Void) {
      // The event loops still exist while the lock is held.
      isStopped.withLockedValue { isStopped in
        if !isStopped { loop.execute(body) }
      }
    }

    /// Lets no further closures run, so that the event loops can end.
    func stop() { isStopped.withLockedValue { $0 = true } }
  }
}
