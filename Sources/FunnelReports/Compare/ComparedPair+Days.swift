import FunnelModel
import FunnelRendering

// The caveats of sides that entered at different times. Each property is the sentence, or `nil` without a problem.

extension ComparedPair {
  // MARK: - Days

  /// The maximum share of a side that may enter on days on which nobody entered the other side.
  private static let apartShareMax = 0.1
  /// The expected number of entries on a day from which a day without any is implausible.
  private static let expectedEntriesMin = 5.0

  /// The sides entered on different days. With strata of time, only the days within the strata of both sides are
  /// compared.
  var differentDays: String? {
    guard flow.by.growsEveryDay else { return nil }
    let common = (a: a.inCommon(with: b, settings.strata), b: b.inCommon(with: a, settings.strata))
    guard common.a.days != nil, common.b.days != nil else {
      // Strata that no two people of different sides share correct nothing.
      return daysApart(of: a, from: b) ?? daysApart(of: b, from: a) ?? differentMix(a, b, within: nil)
    }
    return daysApart(of: common.a, from: common.b) ?? daysApart(of: common.b, from: common.a)
      ?? differentMix(common.a, common.b, within: settings.strata?.calendarUnit)
  }

  /// Returns a sentence if many groups of a side entered on days on which nobody entered the other one.
  private func daysApart(of side: ComparisonSide, from other: ComparisonSide) -> String? {
    guard let days = side.days, let otherDays = other.days else { return nil }
    let entered = Double(side.enteredByDay.values.reduce(0, +))
    let otherEntered = Double(other.enteredByDay.values.reduce(0, +))
    assert(entered > 0 && otherEntered > 0, "a side with days has entries")
    var apart = 0
    var areAllOutside = true
    for (day, count) in side.enteredByDay where (other.enteredByDay[day] ?? 0) == 0 {
      let isOutside = !otherDays.contains(day)
      // A small side has days without entries by chance.
      guard isOutside || Double(count) / entered * otherEntered >= Self.expectedEntriesMin else { continue }
      apart += count
      areAllOutside = areAllOutside && isOutside
    }
    let share = Double(apart) / entered
    guard share > Self.apartShareMax, apart >= fewGroupsMax else { return nil }
    let remedy = areAllOutside ? commonDays(days, otherDays).map { ". \($0) compares the days that both have" } : nil
    return
      "\(HumanNumbers.percent(share)) of \(side.title) entered on days on which nobody entered \(other.title), so the difference may come "
      + "from the days\(remedy ?? "")"
  }

  /// Returns the options that restrict a comparison to the days of both sides, or `nil` if there are none.
  private func commonDays(_ days: ClosedRange<CivilDate>, _ otherDays: ClosedRange<CivilDate>) -> String? {
    let first = max(days.lowerBound, otherDays.lowerBound)
    let last = min(days.upperBound, otherDays.upperBound)
    guard first <= last else { return nil }
    let end = CivilDate(daysSinceEpoch: last.daysSinceEpoch + 1)
    let until = last < max(days.upperBound, otherDays.upperBound) ? " --until \(end)" : ""
    return "--since \(first)\(until)"
  }

  /// Returns a sentence if the mixes of days of two sides differ.
  ///
  /// - Parameter unit: The unit of the strata, within which the mixes are compared, or `nil` to compare them as a whole.
  private func differentMix(_ a: ComparisonSide, _ b: ComparisonSide, within unit: CalendarUnit?) -> String? {
    let days = EntryDistributions(a: a.enteredByDay, b: b.enteredByDay)
    guard days.differ(by: { unit?.start(of: $0) }) else { return nil }
    return
      "\(a.title) and \(b.title) entered on different days, so the difference may come from the days. --stratify day compares people of "
      + "the same day"
  }

  /// The groups of two periods that are compared at the same age differ in age, because they entered earlier or
  /// later in their period.
  var differentProfiles: String? {
    guard context.isSameAge, let profileA = a.enteredByOffset, let profileB = b.enteredByOffset,
      EntryDistributions(a: profileA, b: profileB).differ()
    else { return nil }
    let younger = Self.mean(profileA) > Self.mean(profileB) ? a : b
    return
      "The \(noun.plural) of \(younger.title) entered later in their period and have had less time, so its conversion is not "
      + "comparable yet. Compare again when the windows are closed"
  }

  private static func mean(_ profile: [Int: Int]) -> Double {
    Double(profile.reduce(0) { $0 + $1.key * $1.value }) / Double(max(1, profile.values.reduce(0, +)))
  }

  // MARK: - Days of the week

  /// The periods have different days of the week.
  var differentWeekdays: String? {
    guard let weekdays = context.differentWeekdays else { return nil }
    let remedy = weekdays.sameDaysEarlier.map { ", or --versus \($0) for the same days" } ?? ""
    return
      "The periods have different days of the week, so the difference may come from them. Use whole weeks\(remedy)"
  }

  /// The minimum number of entries on a usual day that makes a day without entries implausible.
  private static let usualEntriesMin = 10

  /// One side has no entries on a day of the week on which the other side has some.
  var missingWeekday: String? {
    guard flow.by.hasWeekdays, settings.strata != .weekday else { return nil }
    let weekdaysA = a.enteredByWeekday
    let weekdaysB = b.enteredByWeekday
    for (side, own, others) in [(a, weekdaysA, weekdaysB), (b, weekdaysB, weekdaysA)] {
      let usual = others.filter { own[$0.key] == nil && $0.value >= Self.usualEntriesMin }
      guard let missing = usual.keys.min(), side.entered >= Self.usualEntriesMin * own.count else { continue }
      let day = CivilDate.weekdayName(missing)
      guard side.inProgress == 0 else {
        return
          "Nobody who entered \(side.title) on a \(day) is counted, so the difference may come from the days of the week. "
          + "\(noun.counted(side.inProgress)) of \(side.title) are in progress: compare when their windows are closed"
      }
      return
        "Nobody entered \(side.title) on a \(day), so the difference may come from the days of the week. If people did, the log lacks "
        + "them; otherwise compare periods with the same days"
    }
    return nil
  }

  /// The shares of the days of the week differ between two periods or weeks.
  var differentWeekdayShares: String? {
    guard flow.by.hasWeekdays, settings.strata != .weekday,
      EntryDistributions(a: a.enteredByWeekday, b: b.enteredByWeekday).differ()
    else { return nil }
    return
      "The days of the week have different shares in \(a.title) and \(b.title), so the difference may come from the days. "
      + "--stratify weekday compares people of the same day of the week"
  }
}

extension ComparisonSide {
  /// Returns the side without the days of calendar units in which the other side has no entries, if the strata
  /// are calendar units.
  fileprivate func inCommon(with other: ComparisonSide, _ strata: Dimension?) -> ComparisonSide {
    guard let unit = strata?.calendarUnit else { return self }
    let starts = Set(other.enteredByDay.filter { $0.value > 0 }.keys.map(unit.start))
    var side = self
    side.enteredByDay = enteredByDay.filter { starts.contains(unit.start(of: $0.key)) }
    return side
  }

  /// The number of entries by ISO weekday, from 1 for Monday to 7 for Sunday. Weekdays without entries are absent.
  fileprivate var enteredByWeekday: [Int: Int] {
    enteredByDay.reduce(into: [:]) { if $1.value > 0 { $0[$1.key.isoWeekday, default: 0] += $1.value } }
  }

  /// The number of entries by zero-based day of the period, or `nil` if the side is not a period.
  fileprivate var enteredByOffset: [Int: Int]? {
    guard let firstDay else { return nil }
    return Dictionary(
      uniqueKeysWithValues: enteredByDay.map { ($0.key.daysSinceEpoch - firstDay.daysSinceEpoch, $0.value) })
  }
}

extension Dimension {
  /// The calendar unit of the dimension's values, or `nil` if they are not days, weeks or months.
  fileprivate var calendarUnit: CalendarUnit? {
    switch self {
    case .day: .day
    case .week: .week
    case .month: .month
    default: nil
    }
  }
}
