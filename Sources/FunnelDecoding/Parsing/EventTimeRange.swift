import FunnelModel

/// The valid times of events: from 2007 on, before which there were no apps, until 24 hours in the future, and until 24 hours
/// after the event was sent and received.
struct EventTimeRange {
  private let now: Timestamp
  private let firstMilliseconds = max(Limits.timestampMillisecondsMin, Timestamp.writable.lowerBound.milliseconds)
  private let lastMilliseconds: Int64

  /// Creates the range of times that are valid when the clock is at `now`.
  init(now: Timestamp) {
    self.now = now
    let (last, overflows) = now.milliseconds.addingReportingOverflow(Limits.futureMillisecondsMax)
    let writable = Timestamp.writable.upperBound.milliseconds
    lastMilliseconds = overflows ? writable : min(last, writable)
  }

  /// Returns whether a time is in the range.
  @inline(__always)
  func contains(_ time: Timestamp) -> Bool {
    firstMilliseconds <= time.milliseconds && time.milliseconds <= lastMilliseconds
  }

  /// Returns whether the time of an event is in the range, and no later than its stamps allow.
  @inline(__always)
  func contains(_ event: borrowing EventFields) -> Bool {
    guard contains(event.timestamp), !event.isDatedAfterSending else { return false }
    return !event.isDatedAfterReceipt
  }

  /// Throws a rejection that names the bound if the time of an event is not in the range.
  func check(_ event: borrowing EventFields) throws(Rejection) {
    let time = event.timestamp
    guard !contains(time) else { return try checkStamps(of: event) }
    let message =
      if !Timestamp.writable.contains(time) {
        "ts is not within the years 0000 to 9999"
      } else if time.milliseconds < firstMilliseconds {
        "ts is before 2007-01-01\(event.deviceTimestamp == nil ? TimeUnitMistake.hint(about: time.milliseconds) : "")"
      } else {
        "ts is more than 24 hours after the clock (\(now))"
      }
    throw Rejection(.timestampOutOfRange, message)
  }
}

extension EventTimeRange {
  /// Throws a rejection if an event happened long after it was sent or received, which can't be.
  private func checkStamps(of event: borrowing EventFields) throws(Rejection) {
    if event.isDatedAfterSending {
      throw Rejection(.timestampOutOfRange, "ts is more than 24 hours after sent_at, before the clock was corrected")
    }
    if event.isDatedAfterReceipt { throw Rejection(.timestampOutOfRange, "ts is more than 24 hours after received_at") }
  }
}

extension EventFields {
  /// Whether the device's time of the event is more than 24 hours after its time of sending.
  fileprivate var isDatedAfterSending: Bool {
    guard let sentAt, let deviceTimestamp else { return false }
    return deviceTimestamp.milliseconds - sentAt.milliseconds > Limits.futureMillisecondsMax
  }

  /// Whether the event's time is more than 24 hours after it was received.
  fileprivate var isDatedAfterReceipt: Bool {
    guard let receivedAt else { return false }
    return timestamp.milliseconds - receivedAt.milliseconds > Limits.futureMillisecondsMax
  }
}

/// Recognizes times in other units than milliseconds.
enum TimeUnitMistake {
  /// The years 2007 to 2096, in seconds since 1970.
  private static let plausibleSeconds: ClosedRange<Int64> = 1_167_609_600...4_000_000_000

  private static let units: [(name: String, perSecond: Int64)] = [
    ("seconds", 1), ("microseconds", 1_000_000), ("nanoseconds", 1_000_000_000),
  ]

  /// Returns the end of a message about a number that is a plausible time in another unit, or an empty text for any
  /// other number.
  static func hint(about number: Int64) -> String {
    for unit in units {
      let first = plausibleSeconds.lowerBound * unit.perSecond
      let last = plausibleSeconds.upperBound * unit.perSecond
      if (first...last).contains(number) { return "; a whole number is milliseconds, not \(unit.name)" }
    }
    return ""
  }
}
