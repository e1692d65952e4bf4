import NIOConcurrencyHelpers
import NIOCore

/// The connections that are open, up to a number.
///
/// Where all are taken, a new one takes the place of the one that has been waiting longest for its client to send a request. So clients
/// that only hold connections keep nobody out, and a request that is being answered is never ended for another one.
final class OpenConnections: Sendable {
  private struct Entry {
    let channel: any Channel
    /// The number of the wait for a request; nil while one is answered.
    var wait: Int?
  }

  private struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    var waits = 0

    /// Returns the number of a wait that begins now. Waits that began earlier have smaller numbers.
    mutating func nextWait() -> Int {
      waits += 1
      return waits
    }
  }

  private let max: Int
  private let state = NIOLockedValueBox(State())

  init(max: Int) {
    self.max = max
  }

  /// Counts a connection as long as it is open, or returns false if there are too many that are being answered.
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

  /// Notes that a connection waits for a request from now on, or does not any more.
  func setWaiting(_ isWaiting: Bool, _ channel: any Channel) {
    state.withLockedValue { state in
      let wait = isWaiting ? state.nextWait() : nil
      state.entries[ObjectIdentifier(channel)]?.wait = wait
    }
  }

  func closeAll() {
    for entry in state.withLockedValue({ Array($0.entries.values) }) { entry.channel.close(promise: nil) }
  }
}

/// The service, which is made when the address is known: the port may be the system's choice.
final class ChosenService: Sendable {
  private let box = NIOLockedValueBox<(any ServerService)?>(nil)

  var service: (any ServerService)? { box.withLockedValue { $0 } }

  func choose(_ service: any ServerService) { box.withLockedValue { $0 = service } }
}
