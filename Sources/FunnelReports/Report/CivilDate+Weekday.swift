import FunnelModel

extension CivilDate {
  /// The English name of the day of the week, such as `Monday`.
  var weekdayName: String { Self.weekdayName(isoWeekday) }

  /// Returns the English name of a day of the week, from 1 for Monday to 7 for Sunday.
  static func weekdayName(_ isoWeekday: Int) -> String {
    precondition((1...7).contains(isoWeekday), "a week has seven days")
    return fullWeekdayNames[isoWeekday - 1]
  }
}
