import NIOConcurrencyHelpers
import NIOCore

/// The open connections of a server, limited to a maximum count.
///
/// At the limit, a new connection replaces the idle one that has waited longest for a request. Idle clients
/// therefore cannot lock out active ones. A connection whose request is in progress is never replaced.
final class OpenConnections: Sendable {
  private enum Activity {
    /// Waiting for a request. Of two waits, the one with the smaller sequence number is older.
    case waiting(sequence: Int)
    /// A request is in progress.
    case responding
  }

  private struct Entry {
    let channel: any Channel
    var activity: Activity
  }

  private struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    /// The number of waits that have started.
    var waits = 0

    /// Returns the activity of a connection that starts to wait now.
    mutating func startedWait() -> Activity {
      waits += 1
      return .waiting(sequence: waits)
    }

    /// Removes the connection that has waited longest. Returns it, or `nil` if no connection waits.
    mutating func removeLongestWaiting() -> (any Channel)? {
      let waiting = entries.compactMap { id, entry -> (id: ObjectIdentifier, sequence: Int)? in
        if case .waiting(let sequence) = entry.activity { (id, sequence) } else { nil }
      }
      return waiting.min { $0.sequence < $1.sequence }.flatMap { entries.removeValue(forKey: $0.id)?.channel }
    }
  }

  private let max: Int
  private let state = NIOLockedValueBox(State())

  /// - Parameter max: The largest number of open connections.
  init(max: Int) {
    precondition(max > 0, "a server has at least one connection")
    self.max = max
  }

  /// Registers a connection until it closes. Returns `false` if every connection at the limit has a request in progress.
  func open(_ channel: any Channel) -> Bool {
    let id = ObjectIdentifier(channel)
    let (isOpened, evicted) = state.withLockedValue { state -> (Bool, (any Channel)?) in
      var evicted: (any Channel)?
      if state.entries.count >= max {
        evicted = state.removeLongestWaiting()
        if evicted == nil { return (false, nil) }
      }
      state.entries[id] = Entry(channel: channel, activity: state.startedWait())
      assert(state.entries.count <= max, "more connections are open than the limit")
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
      let activity = isWaiting ? state.startedWait() : .responding
      state.entries[ObjectIdentifier(channel)]?.activity = activity
    }
  }

  /// Closes a connection that has no request in progress.
  ///
  /// Its place is free before the client can see the end of it: the client may open its next connection immediately.
  func close(_ channel: any Channel) {
    state.withLockedValue { $0.entries[ObjectIdentifier(channel)] = nil }
    channel.close(promise: nil)
  }

  /// The open connections.
  var channels: [any Channel] { state.withLockedValue { $0.entries.values.map(\.channel) } }

  /// Closes every open connection.
  func closeAll() {
    for channel in channels { channel.close(promise: nil) }
  }
}
