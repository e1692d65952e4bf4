import NIOCore

/// The times by which something has to happen on a connection, and the one timer that watches them.
///
/// The timer is set anew only if a deadline is earlier than the timer: a busy connection moves its deadlines thousands of
/// times a second.
struct ConnectionDeadlines {
  /// The end of the time to receive a request, or `nil` if none has begun.
  var request: NIODeadline?
  /// The end of the time to send responses, or `nil` if there are none to send.
  var response: NIODeadline?
  /// The end of the time to keep an idle connection, or `nil` if it is not idle.
  var idle: NIODeadline?
  /// The end of the time to read after a refusal, or `nil` if no refusal was sent.
  var drain: NIODeadline?

  private var timer: (fires: NIODeadline, task: Scheduled<Void>)?

  /// Sets the timer for the earliest deadline.
  mutating func schedule(on loop: any EventLoop, _ fire: @escaping @Sendable () -> Void) {
    guard let earliest = [request, response, idle, drain].compactMap({ $0 }).min() else { return }
    if let timer, timer.fires <= earliest { return }
    timer?.task.cancel()
    timer = (earliest, loop.scheduleTask(deadline: earliest, fire))
  }

  /// Removes the timer after it has fired, or because the connection is closed.
  mutating func removeTimer() {
    timer?.task.cancel()
    timer = nil
  }

  /// Whether a deadline has passed.
  static func isOver(_ deadline: NIODeadline?, at now: NIODeadline) -> Bool { deadline.map { $0 <= now } ?? false }
}
