import FunnelImport
import FunnelModel

/// Statistics of the values in the column of the time that no event may have.
struct UnfitTimes: Hashable, Sendable {
  /// The number of times after the last that an event may have.
  private var lateCount = 0
  /// The number of times before the first that an event may have.
  private var earlyCount = 0
  /// The number of values that are not times of the form.
  private var otherCount = 0

  /// Examines a value that is no time of an event.
  ///
  /// - Parameter form: The form of the times, or `nil` for those that need none.
  mutating func examine(_ time: String, form: TimeForm?) {
    if ImportedTime.isTooLate(time, form: form) {
      lateCount += 1
    } else if ImportedTime.isTimeOfAnyYear(time, form: form) {
      earlyCount += 1
    } else {
      otherCount += 1
    }
  }

  /// Returns sentences about the values of a column.
  func sentences(_ column: String) -> [String] {
    let kinds = [(otherCount, "are not such times"), (earlyCount, "lie before 2007"), (lateCount, "lie after 2099")]
    return kinds.filter { $0.0 > 0 }.map { count, clause in
      "\(Quantity.count(count)) values of \(column) \(clause); their records will be rejected"
    }
  }
}
