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

  /// A client that says when it sent its events can't have sent them more than a day before or after they came. A batch that
  /// was kept for days and sent again with its first stamp can be told by that.
  package static let differenceMillisecondsMax: Int64 = 24 * 60 * 60 * 1000

  /// Creates a receipt.
  ///
  /// - Parameters:
  ///   - app: The app, a valid name.
  ///   - sentAgeMax: The largest age in milliseconds of a `sent_at` by which the clock is corrected.
  package init(
    app: String, receivedAt: Timestamp, sentAt: Timestamp? = nil, sentAgeMax: Int64 = differenceMillisecondsMax
  ) {
    precondition(Array(app.utf8).span.isName, "the app of a key is a name")
    precondition((0...Self.differenceMillisecondsMax).contains(sentAgeMax), "a sent_at is at most a day old")
    self.app = PaddedCopy(app.utf8)
    self.receivedAt = receivedAt
    self.sentAt = sentAt
    differenceMax = (sentFirst: sentAgeMax, receivedFirst: Self.differenceMillisecondsMax)
  }

  /// Returns whether the clock of events can be corrected by a `sent_at`.
  func isPlausible(_ sentAt: Timestamp) -> Bool {
    let age = receivedAt.milliseconds - sentAt.milliseconds
    return age <= differenceMax.sentFirst && -age <= differenceMax.receivedFirst
  }
}

extension EventFields {
  /// Sets app, time of receipt and time of sending from a receipt, and corrects the event's time if the time of sending is
  /// plausible. Otherwise ``hasStaleSendingTime`` is `true` afterwards.
  mutating func receive(_ receipt: BatchReceipt) {
    app = receipt.app.view
    receivedAt = receipt.receivedAt
    sentAt = receipt.sentAt ?? sentAt
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
