import NIOConcurrencyHelpers
import NIOCore

/// The open connections of a server, limited to a maximum count.
///
/// At the limit, a new connection replaces the idle one that has waited longest for a request. Idle clients
/// therefore cannot lock out
/// active ones. A connection whose request is in progress is never replaced.
final class OpenConnections: Sendable {
  private struct Entry {
    let channel: any Channel
    /// The sequence number of the current wait for a request, or `nil` while a request is in progress.
    var wait: Int?
  }

  private struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    /// The number of waits that have started.
    var waits = 0

    /// Returns the sequence number of a wait that starts now. Earlier waits have smaller numbers.
    mutating func nextWait() -> Int {
      waits += 1
      return waits
    }
  }

  private let max: Int
  private let state = NIOLockedValueBox(State())

  /// - Parameter max: The largest number of open connections.
  init(max: Int) {
    self.max = max
  }

  /// Registers a connection until it closes. Returns `false` if every connection at the limit has a request in progress.
  func open(_ channel: any Channel) -> Bool {
    let id = ObjectIdentifier(channel)
    let (isOpened, evicted) = state.withLockedValue { state -> (Bool, (any Channel)?) in
      var evicted: (any Channel)?
      if state.entries.count >= max {
        let waiting = state.entries.filter { $0.value.wait != nil }
        guard let oldest = waiting.min(by: { ($0.value.wait ?? 0) < ($1.value.wait ?? 0) }) else { return (false, nil) }
        evicted = oldest.value.channel
        state.entries[oldest.key] = nil
      }
      state.entries[id] = Entry(channel: channel, wait: state.nextWait())
      return (true, evicted)
    }
    evicted?.close(promise: nil)
    guard isOpened else { return false }
    channel.closeFuture.whenComplete { [state] _ in
      state.withLockedValue { $0.entries[id] = nil }
    }
    return true
  }

  /// Records whether a connection waits for a request.
  func setWaiting(_ isWaiting: Bool, _ channel: any Channel) {
    state.withLockedValue { state in
      let wait = isWaiting ? state.nextWait() : nil
      state.entries[ObjectIdentifier(channel)]?.wait = wait
    }
  }

  /// Closes every open connection.
  func closeAll() {
    for entry in state.withLockedValue({ Array($0.entries.values) }) { entry.channel.close(promise: nil) }
  }
}

/// The service of a server, set once the server listens.
///
/// The service needs the address, whose port the system may choose.
final class ChosenService: Sendable {
  private let box = NIOLockedValueBox<(any ServerService)?>(nil)

  /// The service, or `nil` until ``choose(_:)`` is called.
  var service: (any ServerService)? { box.withLockedValue { $0 } }

  /// Sets the service.
  func choose(_ service: any ServerService) { box.withLockedValue { $0 = service } }
}
