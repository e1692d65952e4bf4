import FunnelModel

/// The valid times of events: from 2007 on, before which there were no apps, until 24 hours in the future.
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

  /// Throws a rejection that names the bound if the time of an event is not in the range.
  func check(_ event: borrowing EventFields) throws(Rejection) {
    let time = event.timestamp
    guard !contains(time) else { return }
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
