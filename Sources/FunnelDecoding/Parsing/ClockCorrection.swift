import FunnelModel

extension EventFields {
  /// Corrects the event's time by the difference between `received_at` and `sent_at`, if it has both, and keeps
  /// the device's time in ``deviceTimestamp``. Then sets `received_at` if it is missing.
  mutating func correctClock(receivedAt now: Timestamp) {
    // A record with `device_ts` is a stored record, whose time is already corrected.
    if let sentAt, deviceTimestamp == nil {
      deviceTimestamp = timestamp
      if let receivedAt { timestamp.milliseconds += receivedAt.milliseconds - sentAt.milliseconds }
    }
    receivedAt = receivedAt ?? now
  }

  /// The years 2007 to 2096 in seconds since 1970. As milliseconds, they are in January and February 1970.
  private static let looksLikeSeconds: ClosedRange<Int64> = 1_167_609_600...4_000_000_000

  /// Throws if the time is before 2007, before there were apps, or more than 24 hours in the future.
  func refuseOutOfRange(now: Timestamp) throws(Rejection) {
    guard Timestamp.writable.contains(timestamp) else {
      throw Rejection(.timestampOutOfRange, "ts is not within the years 0000 to 9999")
    }
    guard timestamp.milliseconds >= Limits.timestampMillisecondsMin else {
      let hint =
        deviceTimestamp == nil && Self.looksLikeSeconds.contains(timestamp.milliseconds)
        ? "; a whole number is milliseconds, not seconds" : ""
      throw Rejection(.timestampOutOfRange, "ts is before 2007-01-01\(hint)")
    }
    guard timestamp.milliseconds - Limits.futureMillisecondsMax <= now.milliseconds else {
      throw Rejection(.timestampOutOfRange, "ts is more than 24 hours after the clock (\(now))")
    }
  }
}

/// The valid range of an event's time, as a fast check. ``EventFields/refuseOutOfRange(now:)`` checks the same
/// range and composes the message.
struct EventTimes {
  private let first = max(Limits.timestampMillisecondsMin, Timestamp.writable.lowerBound.milliseconds)
  private let last: Int64

  /// Creates the range of times that are valid when the clock is at `now`.
  init(now: Timestamp) {
    let (last, overflows) = now.milliseconds.addingReportingOverflow(Limits.futureMillisecondsMax)
    let writable = Timestamp.writable.upperBound.milliseconds
    self.last = overflows ? writable : min(last, writable)
  }

  /// Whether a time is in the range.
  @inline(__always)
  func contain(_ time: Timestamp) -> Bool { first <= time.milliseconds && time.milliseconds <= last }
}
