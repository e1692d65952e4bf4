package import FunnelModel

/// The facts that a server knows of the events of one request. They replace what the events say themselves.
package struct BatchReceipt {
  /// The app of the key that the client showed.
  let app: PaddedCopy
  /// The time at which the server received the request.
  package let receivedAt: Timestamp
  /// The time at which the client sent the request by its own clock, or `nil` if only the events may tell it.
  package let sentAt: Timestamp?
  /// The largest difference in milliseconds between `sent_at` and `received_at` at which the clock is corrected, by the order of
  /// the two: `sent_at` first, or `received_at` first.
  private let differenceMax: (sentFirst: Int64, receivedFirst: Int64)
  /// Whether the client may cut `sent_at` to whole seconds.
  private let isSentAtCut: Bool

  /// A client that says when it sent its events can't have sent them more than a day before or after they came. A batch that
  /// was kept for days and sent again with its first stamp can be told by that.
  package static let differenceMillisecondsMax: Int64 = 24 * 60 * 60 * 1000

  /// The difference from which on a `sent_at` in whole seconds tells something about the clock: the second that was cut, and a second for the
  /// request. Below it, the correction would move the events of each batch by another part of a second, and neighbors would change places.
  private static let cutDifferenceMillisecondsMin: Int64 = 2000

  /// Creates a receipt.
  ///
  /// - Parameters:
  ///   - app: The app, a valid name.
  ///   - sentAgeMax: The largest age in milliseconds of a `sent_at` by which the clock is corrected.
  ///   - isSentAtCut: Whether the client may cut `sent_at` to whole seconds.
  package init(
    app: String, receivedAt: Timestamp, sentAt: Timestamp? = nil, sentAgeMax: Int64 = differenceMillisecondsMax,
    isSentAtCut: Bool = false
  ) {
    precondition(Array(app.utf8).span.isName, "the app of a key is a name")
    precondition((0...Self.differenceMillisecondsMax).contains(sentAgeMax), "a sent_at is at most a day old")
    self.app = PaddedCopy(app.utf8)
    self.receivedAt = receivedAt
    self.sentAt = sentAt
    self.isSentAtCut = isSentAtCut
    differenceMax = (sentFirst: sentAgeMax, receivedFirst: Self.differenceMillisecondsMax)
  }

  /// Returns whether a `sent_at` in whole seconds is too near to the time of receipt to tell whether the clock is wrong.
  func isTooCoarse(_ sentAt: Timestamp) -> Bool {
    guard isSentAtCut, sentAt.milliseconds.isMultiple(of: 1000) else { return false }
    return abs(receivedAt.milliseconds - sentAt.milliseconds) < Self.cutDifferenceMillisecondsMin
  }

  /// Returns whether the clock of events can be corrected by a `sent_at`.
  func isPlausible(_ sentAt: Timestamp) -> Bool {
    let age = receivedAt.milliseconds - sentAt.milliseconds
    return age <= differenceMax.sentFirst && -age <= differenceMax.receivedFirst
  }
}

extension EventFields {
  /// Sets app, time of receipt and time of sending from a receipt, and corrects the event's time if the time of sending is
  /// plausible. Otherwise ``hasStaleSendingTime`` is `true` afterwards. A time of sending that is too coarse is left out.
  mutating func receive(_ receipt: BatchReceipt) {
    app = receipt.app.view
    receivedAt = receipt.receivedAt
    sentAt = receipt.sentAt ?? sentAt
    if let time = sentAt, receipt.isTooCoarse(time) { sentAt = nil }
    // Only a stored record may have the device's time.
    deviceTimestamp = nil
    // The key stands for the app of the line.
    typeKey = 0
    guard let sentAt, receipt.isPlausible(sentAt) else { return }
    deviceTimestamp = timestamp
    timestamp.milliseconds += receipt.receivedAt.milliseconds - sentAt.milliseconds
  }

  /// Whether an event that a server received has a time of sending that is too far from that of its receipt to correct a clock.
  package var hasStaleSendingTime: Bool { sentAt != nil && deviceTimestamp == nil }
}
