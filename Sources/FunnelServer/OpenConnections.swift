import NIOConcurrencyHelpers
import NIOCore

/// The connections that are open, up to a number.
final class OpenConnections: Sendable {
  private let max: Int
  private let channels = NIOLockedValueBox<[ObjectIdentifier: any Channel]>([:])

  init(max: Int) {
    self.max = max
  }

  /// Counts a connection as long as it is open, or returns false if there are too many.
  func open(_ channel: any Channel) -> Bool {
    let id = ObjectIdentifier(channel)
    let isOpened = channels.withLockedValue { channels in
      guard channels.count < max else { return false }
      channels[id] = channel
      return true
    }
    guard isOpened else { return false }
    channel.closeFuture.whenComplete { [channels] _ in
      channels.withLockedValue { $0[id] = nil }
    }
    return true
  }

  func closeAll() {
    for channel in channels.withLockedValue({ Array($0.values) }) { channel.close(promise: nil) }
  }
}

/// The service, which is made when the address is known: the port may be the system's choice.
final class ChosenService: Sendable {
  private let box = NIOLockedValueBox<(any ServerService)?>(nil)

  var service: (any ServerService)? { box.withLockedValue { $0 } }

  func choose(_ service: any ServerService) { box.withLockedValue { $0 = service } }
}
