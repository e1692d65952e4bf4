import FunnelImport
import FunnelModel

// The column of the time.
extension InferredColumns {
  /// Returns the candidates that have times, whether or not these need a form.
  static func times(in candidates: ColumnCandidates, _ records: [[String: String]]) -> [String] {
    candidates.remaining.filter { column in
      ColumnCandidates.mayBeTime(column.values)
        || !column.values.areNumbers && haveForm(records.lazy.compactMap { $0[column.name] })
    }.map(\.name)
  }

  /// Whether the name of a column says that its times are not those of events.
  static func isOtherTime(_ column: String) -> Bool {
    ColumnWords.otherTimes.contains { ColumnCandidates.has(word: $0, column) }
  }

  /// Returns the column of the time, with the form of its values, and removes it from the candidates.
  static func time(
    _ given: GivenColumns, from candidates: inout ColumnCandidates, _ records: [[String: String]],
    besides constantTimes: [String]
  ) throws(Problem) -> (column: String, times: InferredTimes) {
    guard let column = given.timestamp else {
      guard let found = takeTime(from: &candidates, records, besides: constantTimes) else {
        let names = candidates.remaining.map(\.name)
        let impossible = names.lazy.compactMap { impossibleTimes($0, records) }.first
        throw impossible ?? names.lazy.compactMap { unknownForm($0, records) }.first ?? .noTime
      }
      return found
    }
    let values = records.compactMap { $0[column] }
    if let form = given.timeForm {
      guard values.contains(where: { ImportedTime.isTime($0, form: form) }) else {
        throw .unreadForm(column, form, of: values)
      }
      return (column, .form(form))
    }
    guard let times = InferredTimes(of: values) else { throw impossibleTimes(column, records) ?? .notTimes(column) }
    return (column, times)
  }

  /// Returns the problem of a column whose values have a date among digits and the signs of times, or `nil` if they are no such values.
  private static func unknownForm(_ column: String, _ records: [[String: String]]) -> Problem? {
    let values = records.compactMap { $0[column] }
    let areDates = ValueCounts(values).areNearlyAll { value in
      let date =
        value.prefixMatch(of: /\d\d?[-.\/ ]\d\d?[-.\/ ](19|20)\d\d/)
        ?? value.prefixMatch(of: /(19|20)\d\d[-.\/ ]\d\d?[-.\/ ]\d\d?/)
      return date.map { value[$0.range.upperBound...].wholeMatch(of: /[-.,:;_+ \/\dTZAPMapm]*/) != nil } ?? false
    }
    return areDates ? .unknownForm(column, of: Array(values.prefix(1))) : nil
  }

  /// Returns the problem of dates whose times of day are in another column, or `nil` if they are in none.
  static func apartProblem(
    _ column: String, _ times: InferredTimes, _ candidates: ColumnCandidates, _ records: [[String: String]]
  ) -> Problem? {
    guard areDays(records.compactMap { $0[column] }, form: times.forms.first) else { return nil }
    return timeOfDay(in: candidates).map { .apart(column, timeOfDay: $0) }
  }

  /// Returns the problem of a column whose values are times, but not of the years that events may have, or `nil` if they are not.
  private static func impossibleTimes(_ column: String, _ records: [[String: String]]) -> Problem? {
    let values = records.compactMap { $0[column] }
    guard let times = InferredTimes(of: values, where: { ImportedTime.isTimeOfAnyYear($0, form: $1) }) else { return nil }
    let form = times.forms.first
    let lateCount = values.count { ImportedTime.isTooLate($0, form: form) }
    let earlyCount = values.count { !ImportedTime.isTime($0, form: form) } - lateCount
    return .impossibleTimes(column, early: earlyCount, late: lateCount, of: values.count)
  }

  /// The number of values by which a column is ruled out as one of times before all of them are examined.
  private static let firstValuesMax = 20

  /// Returns whether values are times that need a form.
  private static func haveForm(_ values: some Sequence<String>) -> Bool {
    // Most columns have no digit, or are ruled out by their first values. All forms are tried with each value.
    let first = Array(values.prefix(firstValuesMax))
    return first.contains { $0.contains(where: \.isNumber) } && InferredTimes(of: first) != nil
      && InferredTimes(of: Array(values)) != nil
  }

  /// Removes the column of the time, and returns it with the form of its values.
  ///
  /// - Parameter constantTimes: The columns that are not the time, because all records of a subject have the same one.
  static func takeTime(
    from candidates: inout ColumnCandidates, _ records: [[String: String]], besides constantTimes: [String]
  ) -> (column: String, times: InferredTimes)? {
    // When a record was loaded or received is not when its event happened.
    let handled = candidates.remaining.map(\.name).filter { name in
      let folded = name.lowercased()
      return ColumnWords.handling.contains { folded.contains($0) }
    }
    let mayBeEvent = { (column: String) in !constantTimes.contains(column) && !isOtherTime(column) }
    let isEvent = { (column: String) in mayBeEvent(column) && !handled.contains(column) }
    if let column = candidates.take(named: ColumnWords.times, where: ColumnCandidates.mayBeTime, among: isEvent)
      ?? candidates.takeFirst(where: ColumnCandidates.mayBeTime, among: isEvent)
      ?? candidates.takeFirst(where: ColumnCandidates.mayBeTime, among: mayBeEvent)
    {
      return (column, .plain)
    }
    for word in ColumnWords.times {
      guard let column = candidates.name(matching: word, among: isEvent),
        let times = InferredTimes(of: records.compactMap { $0[column] })
      else { continue }
      candidates.remove(column)
      return (column, times)
    }
    // A name in another language. Numbers may be anything.
    for isWanted in [isEvent, mayBeEvent] {
      for column in candidates.remaining where isWanted(column.name) && !column.values.areNumbers {
        guard let times = InferredTimes(of: records.compactMap { $0[column.name] }) else { continue }
        candidates.remove(column.name)
        return (column.name, times)
      }
    }
    let isRemaining = { (column: String) in !constantTimes.contains(column) }
    guard let column = candidates.takeFirst(where: ColumnCandidates.mayBeTime, among: isRemaining) else { return nil }
    return (column, .plain)
  }
}
