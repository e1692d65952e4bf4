extension TimeZoneRules {
  /// Returns the moment at which clocks of the zone show a local time.
  ///
  /// An hour that comes twice, when clocks are set back, is its first. A time that is skipped, when they are set forward, moves forward by
  /// what is skipped: it is read with the offset before the change.
  ///
  /// - Parameter local: The local date and time, in milliseconds from 1970-01-01 00:00 on the same clock.
  public func moment(atLocal local: Int64) -> Timestamp {
    // The first period that does not end before its clock shows the time.
    let period =
      transitions.indices.dropLast().first { index in
        local - transitions[index].offsetMilliseconds < transitions[index + 1].startMilliseconds
      } ?? transitions.count - 1
    let moment = local - transitions[period].offsetMilliseconds
    guard period > 0, moment < transitions[period].startMilliseconds else { return Timestamp(milliseconds: moment) }
    return Timestamp(milliseconds: local - transitions[period - 1].offsetMilliseconds)
  }
}
