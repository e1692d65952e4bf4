extension TimeZoneRules {
  /// Returns the moment at which clocks of the zone show a local time.
  ///
  /// If clocks show the time twice, because they are set back, the result is the first moment. If they skip it,
  /// because they are set forward, the time is converted with the offset before the change.
  ///
  /// - Parameter local: The local date and time, in milliseconds since 1970-01-01 00:00 local time.
  public func moment(atLocal local: Int64) -> Timestamp {
    let period = firstPeriod(endingAfterLocal: local)
    let moment = local - transitions[period].offsetMilliseconds
    guard period > 0, moment < transitions[period].startMilliseconds else { return Timestamp(milliseconds: moment) }
    return Timestamp(milliseconds: local - transitions[period - 1].offsetMilliseconds)
  }
}
