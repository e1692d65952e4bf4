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
}
