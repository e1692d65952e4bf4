/// A time zone as plain data: its offsets from UTC, and the moment at which each takes effect.
///
/// Reports are deterministic and do not read the system's time zone database. The command line loads the user's
/// zone into this value.
package struct TimeZoneRules: Hashable, Sendable {
  /// A change of the offset.
  package struct Transition: Hashable, Sendable {
    /// The moment at which the offset takes effect, in milliseconds since the epoch.
    package let startMilliseconds: Int64
    /// The offset from UTC, positive to the east.
    package let offsetMilliseconds: Int64

    package init(startMilliseconds: Int64, offsetMilliseconds: Int64) {
      self.startMilliseconds = startMilliseconds
      self.offsetMilliseconds = offsetMilliseconds
    }
  }

  /// The name of the zone, as the user wrote it.
  package var name: String
  /// The transitions in ascending order, at least one. The first also applies to all earlier times.
  package var transitions: [Transition]

  /// Creates rules from transitions in any order.
  ///
  /// - Precondition: There is at least one transition.
  package init(name: String, transitions: [Transition]) {
    precondition(!transitions.isEmpty, "a time zone needs an offset")
    self.name = name
    self.transitions = transitions.sorted { $0.startMilliseconds < $1.startMilliseconds }
  }

  /// Coordinated Universal Time.
  package static let utc = TimeZoneRules(name: "UTC", transitions: [Transition(startMilliseconds: .min, offsetMilliseconds: 0)])

  /// Returns the offset from UTC at a moment, in milliseconds.
  package func offsetMilliseconds(at milliseconds: Int64) -> Int64 {
    var low = 0
    var high = transitions.count
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle].startMilliseconds <= milliseconds { low = middle + 1 } else { high = middle }
    }
    return transitions[max(low - 1, 0)].offsetMilliseconds
  }

  /// Returns the calendar day at a moment.
  package func day(at milliseconds: Int64) -> CivilDate {
    Timestamp(milliseconds: milliseconds + offsetMilliseconds(at: milliseconds)).day
  }

  /// Returns the first moment of a calendar day: midnight, or the moment of the clock change that skips midnight.
  ///
  /// If a clock change repeats midnight, the result is the first one. If it skips the whole day, the result is
  /// the start of the next day.
  package func midnight(of day: CivilDate) -> Timestamp {
    let local = day.midnight.milliseconds
    let period = firstPeriod(endingAfterLocal: local)
    let midnight = local - transitions[period].offsetMilliseconds
    return Timestamp(milliseconds: period == 0 ? midnight : max(midnight, transitions[period].startMilliseconds))
  }

  /// Returns the index of the first transition whose offset is in effect until after its clocks show a local
  /// time. If clocks skip the time, the offset takes effect only after it.
  func firstPeriod(endingAfterLocal local: Int64) -> Int {
    transitions.indices.dropLast().first { index in
      local - transitions[index].offsetMilliseconds < transitions[index + 1].startMilliseconds
    } ?? transitions.count - 1
  }

  /// Returns the number of local clock hours since 1970-01-01 00:00 local time, rounded down. An hour that
  /// clocks show twice has one number.
  package func hour(at milliseconds: Int64) -> Int {
    let (hours, remainder) = (milliseconds + offsetMilliseconds(at: milliseconds)).quotientAndRemainder(
      dividingBy: Timestamp.millisecondsPerHour)
    return Int(remainder < 0 ? hours - 1 : hours)
  }

  /// Returns the value of a calendar dimension at a moment, such as `2026-11-20` or `Mon`, or `nil` if the
  /// dimension is not computed from the time (``Dimension/calendarExample``).
  package func value(of dimension: Dimension, at milliseconds: Int64) -> String? {
    let date = day(at: milliseconds)
    switch dimension {
    case .day: return CalendarUnit.day.name(of: date)
    case .month: return CalendarUnit.month.name(of: date)
    case .week: return CalendarUnit.week.name(of: date)
    case .hour:
      let hour = hour(at: milliseconds) - date.daysSinceEpoch * 24
      return "\(hour < 10 ? "0" : "")\(hour)"
    case .weekday: return CivilDate.weekdayNames[date.isoWeekday - 1]
    case .property, .context, .properties, .version, .subject, .step: return nil
    }
  }
}

extension TimeZoneRules {
  /// Returns the moment at which clocks of the zone show a local time.
  ///
  /// If clocks show the time twice, because they are set back, the result is the first moment. If they skip it,
  /// because they are set forward, the time is converted with the offset before the change.
  ///
  /// - Parameter local: The local date and time, in milliseconds since 1970-01-01 00:00 local time.
  package func moment(atLocal local: Int64) -> Timestamp {
    let period = firstPeriod(endingAfterLocal: local)
    let moment = local - transitions[period].offsetMilliseconds
    guard period > 0, moment < transitions[period].startMilliseconds else { return Timestamp(milliseconds: moment) }
    return Timestamp(milliseconds: local - transitions[period - 1].offsetMilliseconds)
  }
}
