/// A time zone as plain data: its offsets from UTC and the moments they begin.
///
/// A projector must not query the system, so the command line converts the zone that the user names into this value once.
public struct TimeZoneRules: Hashable, Sendable {
  /// An offset and the moment it takes effect.
  public struct Transition: Hashable, Sendable {
    public var startMilliseconds: Int64
    public var offsetMilliseconds: Int64

    public init(startMilliseconds: Int64, offsetMilliseconds: Int64) {
      self.startMilliseconds = startMilliseconds
      self.offsetMilliseconds = offsetMilliseconds
    }
  }

  /// The name by which the user refers to the zone.
  public var name: String
  /// The transitions in order; the first also applies to all earlier times.
  public var transitions: [Transition]

  /// Creates rules from at least one transition.
  public init(name: String, transitions: [Transition]) {
    precondition(!transitions.isEmpty, "a time zone needs an offset")
    self.name = name
    self.transitions = transitions.sorted { $0.startMilliseconds < $1.startMilliseconds }
  }

  /// Coordinated Universal Time.
  public static let utc = TimeZoneRules(name: "UTC", transitions: [Transition(startMilliseconds: .min, offsetMilliseconds: 0)])

  /// Returns the offset from UTC at a moment, in milliseconds.
  public func offsetMilliseconds(at milliseconds: Int64) -> Int64 {
    var low = 0
    var high = transitions.count
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle].startMilliseconds <= milliseconds { low = middle + 1 } else { high = middle }
    }
    return transitions[max(low - 1, 0)].offsetMilliseconds
  }

  /// Returns the calendar day at a moment.
  public func day(at milliseconds: Int64) -> CivilDate {
    Timestamp(milliseconds: milliseconds + offsetMilliseconds(at: milliseconds)).day
  }

  /// Returns the first moment of a calendar day: midnight, or the moment of the change if a change of the clocks skips midnight.
  ///
  /// If a change repeats midnight, the first one counts. If it skips the whole day, the result is the first moment of the next.
  public func midnight(of day: CivilDate) -> Timestamp {
    let local = day.midnight.milliseconds
    // The first period that does not end before its clock shows midnight. It may begin after that.
    let period =
      transitions.indices.dropLast().first { index in
        local - transitions[index].offsetMilliseconds < transitions[index + 1].startMilliseconds
      } ?? transitions.count - 1
    let midnight = local - transitions[period].offsetMilliseconds
    return Timestamp(milliseconds: period == 0 ? midnight : max(midnight, transitions[period].startMilliseconds))
  }

  /// Returns the number of hours that a clock of the zone has shown since midnight of 1970-01-01. An hour that comes twice, because the clock
  /// is put back, is one.
  public func hour(at milliseconds: Int64) -> Int {
    let (hours, rest) = (milliseconds + offsetMilliseconds(at: milliseconds)).quotientAndRemainder(
      dividingBy: Timestamp.millisecondsPerHour)
    return Int(rest < 0 ? hours - 1 : hours)
  }

  /// Returns the value of a dimension that is computed from the time, at a moment (`2026-11-20`, `2026-W47`, `2026-11`, `09`, `Mon`), or nil
  /// for any other dimension.
  public func value(of dimension: Dimension, at milliseconds: Int64) -> String? {
    let date = day(at: milliseconds)
    switch dimension {
    case .day: return date.description
    case .month: return String(date.description.prefix(7))
    case .week:
      let (year, week) = date.isoWeek
      return "\(year)-W\(week < 10 ? "0" : "")\(week)"
    case .hour:
      let hour = hour(at: milliseconds) - date.daysSinceEpoch * 24
      return "\(hour < 10 ? "0" : "")\(hour)"
    case .weekday: return CivilDate.weekdayNames[date.isoWeekday - 1]
    case .property, .context, .properties, .version, .subject, .step: return nil
    }
  }
}
