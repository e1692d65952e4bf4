/// A pattern of date fields, compiled to steps over the bytes of a time.
///
/// The fields are those of Unicode TR 35 that dates in logs need
/// (<https://www.unicode.org/reports/tr35/tr35-dates.html#Date_Field_Symbol_Table>): `yyyy yy M MM MMM MMMM d dd H HH h hh m
/// mm s ss S… a XXX Z z EEE`, and text in single quotes. Names of months and days are English.
///
/// ```swift
/// let pattern = try TimePattern("dd.MM.yyyy HH:mm")
/// pattern.time("23.11.2025 14:05".utf8.span)  // .local(2025-11-23T14:05:00Z)
/// ```
package struct TimePattern: Hashable, Sendable {
  /// The pattern as written.
  package let text: String
  private let steps: [Step]

  /// The reason, as a clause, why a text is not a pattern.
  package struct Problem: Error, Hashable, Sendable {
    package let text: String
  }

  /// A part of the pattern, which consumes bytes of a time.
  private enum Step: Hashable, Sendable {
    /// A byte that must be there.
    case literal(UInt8)
    /// A number with a fixed count of digits.
    case number(Field, digits: Int)
    /// A number of one or two digits.
    case shortNumber(Field)
    /// Digits of the second's fraction.
    case fraction(digits: Int)
    case monthName, fullMonthName, weekdayName
    /// `AM` or `PM`.
    case halfOfDay
    /// `Z`, or an offset such as `+05:30`.
    case offset
    /// An offset without a colon, such as `+0530`.
    case basicOffset
    /// `UTC` or `GMT`.
    case zoneName
  }

  /// A field that a number sets.
  private enum Field: Hashable, Sendable {
    case year, yearOfCentury, month, day, hour, hourOfHalf, minute, second
  }

  /// Compiles a pattern.
  ///
  /// - Throws: A clause that says what is wrong: an unknown field, or no year, month or day.
  package init(_ text: String) throws(Problem) {
    self.text = text
    var steps: [Step] = []
    var remainder = Array(text.utf8)[...]
    while let letter = remainder.first {
      guard letter.isASCIILetter else {
        steps += try Self.literals(&remainder)
        continue
      }
      let run = remainder.prefix { $0 == letter }
      remainder = remainder.dropFirst(run.count)
      steps.append(try Self.step(letter, count: run.count))
    }
    self.steps = steps
    try requireDate()
  }

  private static func step(_ letter: UInt8, count: Int) throws(Problem) -> Step {
    let fields: [UInt8: Field] = [
      UInt8(ascii: "d"): .day, UInt8(ascii: "H"): .hour, UInt8(ascii: "h"): .hourOfHalf, UInt8(ascii: "m"): .minute,
      UInt8(ascii: "s"): .second, UInt8(ascii: "M"): .month,
    ]
    switch (letter, count) {
    case (UInt8(ascii: "y"), 4): return .number(.year, digits: 4)
    case (UInt8(ascii: "y"), 2): return .number(.yearOfCentury, digits: 2)
    case (UInt8(ascii: "M"), 3): return .monthName
    case (UInt8(ascii: "M"), 4): return .fullMonthName
    case (UInt8(ascii: "E"), 3): return .weekdayName
    case (UInt8(ascii: "S"), 1...9): return .fraction(digits: count)
    case (UInt8(ascii: "a"), 1): return .halfOfDay
    case (UInt8(ascii: "X"), 3): return .offset
    case (UInt8(ascii: "Z"), 1): return .basicOffset
    case (UInt8(ascii: "z"), 1): return .zoneName
    case (_, 1): if let field = fields[letter] { return .shortNumber(field) }
    case (_, 2): if let field = fields[letter] { return .number(field, digits: 2) }
    default: break
    }
    let run = String(repeating: String(UnicodeScalar(letter)), count: min(count, 9))
    throw Problem(
      text:
        "\(run.quoted) is not a field of a time, allowed: yyyy yy M MM MMM MMMM d dd H HH h hh m mm s ss S a XXX Z z EEE, other letters in quotes"
    )
  }

  /// Reads a quoted text, or one byte that is not a letter.
  private static func literals(_ remainder: inout ArraySlice<UInt8>) throws(Problem) -> [Step] {
    let quote = UInt8(ascii: "'")
    let first = remainder.removeFirst()
    guard first == quote else { return [.literal(first)] }
    // Two quotes are one quote, inside a quoted text and outside.
    if remainder.first == quote {
      remainder.removeFirst()
      return [.literal(quote)]
    }
    var literals: [Step] = []
    while let byte = remainder.popFirst() {
      if byte == quote {
        guard remainder.first == quote else { return literals }
        remainder.removeFirst()
      }
      literals.append(.literal(byte))
    }
    throw Problem(text: "a quoted text is not closed")
  }

  /// Throws unless the pattern has a year, a month and a day.
  private func requireDate() throws(Problem) {
    func has(_ wanted: Field...) -> Bool {
      steps.contains { step in
        switch step {
        case .number(let field, _), .shortNumber(let field): wanted.contains(field)
        default: false
        }
      }
    }
    guard has(.year, .yearOfCentury), has(.month) || steps.contains(where: { $0 == .monthName || $0 == .fullMonthName }),
      has(.day)
    else {
      throw Problem(text: "a time needs a year, a month and a day, as in yyyy-MM-dd")
    }
    guard has(.hourOfHalf) == steps.contains(.halfOfDay) else {
      throw Problem(text: "an hour of twelve (h) needs AM or PM (a), and AM or PM an hour of twelve")
    }
  }
}

// Parsing times.
extension TimePattern {
  /// The fields of a time so far.
  private struct Fields {
    var year = 0
    var month = 1
    var day = 1
    var hour = 0
    var minute = 0
    var second = 0
    var millisecond = 0
    var isAfternoon = false
    /// The offset from UTC in minutes, or `nil` if the time names no zone.
    var offsetMinutes: Int?

    mutating func set(_ field: Field, _ value: Int) {
      switch field {
      case .year: year = value
      case .yearOfCentury: year = TimePattern.century + value
      case .month: month = value
      case .day: day = value
      case .hour: hour = value
      // 12 AM is midnight, and 12 PM is noon.
      case .hourOfHalf: hour = (1...12).contains(value) ? value % 12 : TimePattern.invalidHour
      case .minute: minute = value
      case .second: second = value
      }
    }

    /// The time, or `nil` if a field is out of range.
    var time: WrittenTime? {
      guard let date = CivilDate(year: year, month: month, day: day), hour < 24, minute < 60, second <= 60 else { return nil }
      let hour = isAfternoon ? hour + 12 : hour
      let seconds = (hour * 60 + minute - (offsetMinutes ?? 0)) * 60 + second
      let moment = Timestamp(milliseconds: date.midnight.milliseconds + Int64(seconds * 1000 + millisecond))
      return offsetMinutes == nil ? .local(moment) : .moment(moment)
    }
  }

  /// The century of a year of two digits. There were no apps in another one.
  private static let century = 2000
  private static let invalidHour = 24
  private static let monthNames = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"].map {
    Array($0.utf8)
  }
  private static let fullMonthNames = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
  ].map { Array($0.utf8) }
  private static let weekdayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"].map { Array($0.utf8) }
  private static let zoneNames = ["utc", "gmt"].map { Array($0.utf8) }
  private static let halvesOfDay = ["am", "pm"].map { Array($0.utf8) }

  /// Returns the time of a text that follows the pattern from its first to its last byte, or `nil` for any other text.
  package func time(_ text: Span<UInt8>) -> WrittenTime? {
    var fields = Fields()
    var index = 0
    for step in steps {
      guard let end = Self.read(step, of: text, at: index, into: &fields) else { return nil }
      index = end
    }
    return index == text.count ? fields.time : nil
  }

  /// Reads one part of a time. Returns the index after it, or `nil` if the text has something else there.
  private static func read(_ step: Step, of text: Span<UInt8>, at index: Int, into fields: inout Fields) -> Int? {
    switch step {
    case .literal(let byte): return index < text.count && text[index] == byte ? index + 1 : nil
    case .number(let field, let digits):
      guard let value = number(of: text, at: index, digits: digits) else { return nil }
      fields.set(field, value)
      return index + digits
    case .shortNumber(let field):
      let digits = number(of: text, at: index, digits: 2) == nil ? 1 : 2
      guard let value = number(of: text, at: index, digits: digits) else { return nil }
      fields.set(field, value)
      return index + digits
    case .fraction(let digits):
      guard let value = number(of: text, at: index, digits: digits) else { return nil }
      fields.millisecond = milliseconds(ofFraction: value, digits: digits)
      return index + digits
    case .monthName:
      guard let month = name(of: text, at: index, among: monthNames) else { return nil }
      fields.month = month + 1
      return index + 3
    case .fullMonthName:
      guard let month = name(of: text, at: index, among: fullMonthNames) else { return nil }
      fields.month = month + 1
      return index + fullMonthNames[month].count
    case .weekdayName: return name(of: text, at: index, among: weekdayNames).map { _ in index + 3 }
    case .halfOfDay:
      guard let half = name(of: text, at: index, among: halvesOfDay) else { return nil }
      fields.isAfternoon = half == 1
      return index + 2
    case .zoneName:
      guard name(of: text, at: index, among: zoneNames) != nil else { return nil }
      fields.offsetMinutes = 0
      return index + 3
    case .offset: return readOffset(of: text, at: index, into: &fields)
    case .basicOffset:
      guard let minutes = offsetMinutes(of: text, at: index, minutesAt: index + 3) else { return nil }
      fields.offsetMinutes = minutes
      return index + 5
    }
  }

  /// Reads `Z`, or an offset such as `+05:30`.
  private static func readOffset(of text: Span<UInt8>, at index: Int, into fields: inout Fields) -> Int? {
    guard index < text.count else { return nil }
    if text[index] == UInt8(ascii: "Z") {
      fields.offsetMinutes = 0
      return index + 1
    }
    guard index + 3 < text.count, text[index + 3] == UInt8(ascii: ":"),
      let minutes = offsetMinutes(of: text, at: index, minutesAt: index + 4)
    else { return nil }
    fields.offsetMinutes = minutes
    return index + 6
  }

  /// Returns the minutes of an offset, given the index of its sign and that of its minutes, or `nil` if none is there.
  private static func offsetMinutes(of text: Span<UInt8>, at index: Int, minutesAt minuteIndex: Int) -> Int? {
    guard index < text.count else { return nil }
    let sign = text[index]
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
      let hours = number(of: text, at: index + 1, digits: 2), hours < 24,
      let minutes = number(of: text, at: minuteIndex, digits: 2), minutes < 60
    else { return nil }
    return (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -1 : 1)
  }

  /// Returns the number of some digits, or `nil` if one of the bytes is not a digit.
  private static func number(of text: Span<UInt8>, at index: Int, digits: Int) -> Int? {
    guard index + digits <= text.count else { return nil }
    var value = 0
    for index in index..<index + digits {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value * 10 + Int(digit)
    }
    return value
  }

  /// Returns the index of the name at an index of the text, ignoring case, or `nil` if none of the names is there.
  private static func name(of text: Span<UInt8>, at index: Int, among names: [[UInt8]]) -> Int? {
    names.firstIndex { name in
      guard index + name.count <= text.count else { return false }
      return name.indices.allSatisfy { text[index + $0] | 0x20 == name[$0] }
    }
  }

  /// Returns the milliseconds of a fraction of a second, rounded down.
  private static func milliseconds(ofFraction value: Int, digits: Int) -> Int {
    var value = value
    for _ in 0..<max(3 - digits, 0) { value *= 10 }
    for _ in 0..<max(digits - 3, 0) { value /= 10 }
    return value
  }
}
