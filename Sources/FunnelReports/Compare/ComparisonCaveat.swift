import FunnelModel
import FunnelProjections

/// A reason why the comparison of two sides is not fair, as a sentence without a full stop.
///
/// A p value accounts for chance only. It does not account for sides that entered at different times or that
/// count different things. A verdict with a caveat never recommends that a test be stopped.
public struct ComparisonCaveat: Hashable, Sendable {
  /// The sentence. It names the option that avoids the problem, if there is one.
  public let text: String
  /// Whether the problem can produce a false difference, but cannot hide a true one. Such a caveat applies only
  /// if there is a difference.
  public let onlyMakesDifferences: Bool

  /// Returns the caveats of a pair of sides, most important first. There are none if a side is empty.
  static func all(of a: ComparisonSide, _ b: ComparisonSide, in flow: FlowComparison, _ settings: ComparisonSettings)
    -> [ComparisonCaveat]
  {
    guard a.entered > 0, b.entered > 0 else { return [] }
    // A period without an earlier one of the same days is part of a day, or a day beside a week. Its reader knows that.
    let isOneDay = flow.context.differentWeekdays.map { $0.sameDaysEarlier == nil } ?? false
    let hiding = [
      settings.isOfPermission ? nil : otherWay(a, b, flow), differentDays(a, b, flow, settings),
      isOneDay
        ? nil
        : differentWeekdays(flow) ?? missingWeekday(a, b, flow, settings)
          ?? differentWeekdayMix(a, b, flow, settings),
      lateValues(flow),
      differentAges(a, b, flow), differentProfiles(a, b, flow), bestStarts(flow), mixed(a, b, flow),
      differentlyAsked(a, b, flow, settings),
    ]
    let making = [isOneDay ? differentWeekdays(flow) : nil, dependence(flow)]
    return hiding.compactMap(\.self).map { ComparisonCaveat(text: $0, onlyMakesDifferences: false) }
      + making.compactMap(\.self).map { ComparisonCaveat(text: $0, onlyMakesDifferences: true) }
  }

  // MARK: - Finished in another way

  /// Returns a sentence if the groups that reached the last step in another way decide the comparison, or `nil`
  /// otherwise.
  ///
  /// They do if counting them as converted moves the difference out of its 95 % interval.
  static func otherWay(_ a: ComparisonSide, _ b: ComparisonSide, _ flow: FlowComparison) -> String? {
    let finishedA = finished(a)
    let finishedB = finished(b)
    guard let counted = ComparedShare.proportions(a.conversion, b.conversion)?.compared,
      let withAll = ComparedShare.proportions(finishedA, finishedB)?.compared,
      !(counted.low...counted.high).contains(withAll.difference), let rateA = finishedA.rate, let rateB = finishedB.rate
    else { return nil }
    let sides = [a, b].compactMap { side -> String? in
      let count = side.finishedOutOfOrder + side.inProgressOutOfOrder
      return count == 0 ? nil : "\(flow.noun.counted(count)) in \(side.title)"
    }
    return
      "\(sides.joined(separator: " and ")) reached the last step in another way, without a required step or in another order. With them "
      + "\(b.title) converts \(HumanNumbers.percent(rateB.value)) and \(a.title) \(HumanNumbers.percent(rateA.value)). "
      + "--order any compares those who took all steps in any order"
  }

  private static func finished(_ side: ComparisonSide) -> ComparedShare {
    ComparedShare(side.conversion.count + side.finishedOutOfOrder + side.inProgressOutOfOrder, of: side.entered)
  }

  // MARK: - Entered at other times

  /// The maximum share of a side that may enter on days on which nobody entered the other side.
  private static let apartShareMax = 0.1
  /// The expected number of entries on a day from which a day without any is implausible.
  private static let expectedEntriesMin = 5.0
  /// The maximum total variation distance between the days of two sides: half the sum of the absolute
  /// differences of their shares.
  private static let distanceMax = 0.1
  /// The significance level of the test of the days. It is small because the test runs in every comparison.
  private static let mixAlpha = 0.001

  /// Returns a sentence if the sides entered on different days, or `nil` otherwise. With strata of time, only the
  /// days within the strata of both sides are compared.
  private static func differentDays(
    _ a: ComparisonSide, _ b: ComparisonSide, _ flow: FlowComparison, _ settings: ComparisonSettings
  ) -> String? {
    guard flow.by.growsEveryDay else { return nil }
    var unit = settings.strata?.calendarUnit
    var pair = (a: a.inCommon(with: b, settings.strata), b: b.inCommon(with: a, settings.strata))
    if pair.a.days == nil || pair.b.days == nil {
      // Strata that no two people of different sides share correct nothing.
      pair = (a, b)
      unit = nil
    }
    for (side, other) in [(pair.a, pair.b), (pair.b, pair.a)] {
      if let sentence = daysApart(of: side, from: other) { return sentence }
    }
    return differentMix(pair.a, pair.b, within: unit)
  }

  /// Returns a sentence if many groups of a side entered on days on which nobody entered the other one.
  private static func daysApart(of side: ComparisonSide, from other: ComparisonSide) -> String? {
    guard let days = side.days, let otherDays = other.days else { return nil }
    let entered = Double(side.enteredByDay.values.reduce(0, +))
    let otherEntered = Double(other.enteredByDay.values.reduce(0, +))
    var apart = 0
    var areAllOutside = true
    for (day, count) in side.enteredByDay where (other.enteredByDay[day] ?? 0) == 0 {
      let isOutside = !otherDays.contains(day)
      // A small side has days without entries by chance.
      guard isOutside || Double(count) / entered * otherEntered >= expectedEntriesMin else { continue }
      apart += count
      areAllOutside = areAllOutside && isOutside
    }
    let share = Double(apart) / entered
    guard share > apartShareMax, apart >= fewGroupsMax else { return nil }
    let first = max(days.lowerBound, otherDays.lowerBound)
    let last = min(days.upperBound, otherDays.upperBound)
    var remedy = ""
    if areAllOutside, first <= last {
      let end = CivilDate(daysSinceEpoch: last.daysSinceEpoch + 1)
      let until = last < max(days.upperBound, otherDays.upperBound) ? " --until \(end)" : ""
      remedy = ". --since \(first)\(until) compares the days that both have"
    }
    return
      "\(HumanNumbers.percent(share)) of \(side.title) entered on days on which nobody entered \(other.title), so the difference may come "
      + "from the days\(remedy)"
  }

  /// Returns a sentence if the mixes of days of two sides differ, or `nil` otherwise.
  ///
  /// - Parameter unit: The unit of the strata, within which the mixes are compared, or `nil` to compare them as a whole.
  private static func differentMix(_ a: ComparisonSide, _ b: ComparisonSide, within unit: CalendarUnit?) -> String? {
    guard areDifferent(a.enteredByDay, b.enteredByDay, by: { unit?.start(of: $0) }) else { return nil }
    return
      "\(a.title) and \(b.title) entered on different days, so the difference may come from the days. --stratify day compares people of "
      + "the same day"
  }

  /// Whether the entries of two sides have significantly different distributions over the days.
  ///
  /// - Parameter stratum: Returns the stratum of a day. Only days of one stratum are compared with each other; the
  ///   strata are weighted as in the Mantel–Haenszel estimate.
  private static func areDifferent<Day: Hashable & Comparable>(
    _ a: [Day: Int], _ b: [Day: Int], by stratum: (Day) -> Day? = { _ in nil }
  ) -> Bool {
    let strata = Dictionary(grouping: Set(a.keys).union(b.keys), by: stratum)
    var distance = 0.0
    var weights = 0.0
    var chiSquared = 0.0
    var degreesOfFreedom = 0
    for days in strata.values {
      let counts = days.map { (a: a[$0] ?? 0, b: b[$0] ?? 0) }
      let allA = Double(counts.reduce(0) { $0 + $1.a })
      let allB = Double(counts.reduce(0) { $0 + $1.b })
      guard allA > 0, allB > 0 else { continue }
      let weight = allA * allB / (allA + allB)
      weights += weight
      distance += weight * counts.reduce(0) { $0 + abs(Double($1.a) / allA - Double($1.b) / allB) } / 2
      guard let test = HomogeneityTest(counts.map { (count: $0.a, of: $0.a + $0.b) }) else { continue }
      chiSquared += test.chiSquared
      degreesOfFreedom += test.degreesOfFreedom
    }
    guard degreesOfFreedom > 0, distance > distanceMax * weights else { return false }
    return ChiSquaredDistribution.upperTail(chiSquared, degreesOfFreedom: degreesOfFreedom) < mixAlpha
  }

  /// Returns a sentence if the groups of two periods that are compared at the same age differ in age, because
  /// they entered earlier or later in their period.
  private static func differentProfiles(_ a: ComparisonSide, _ b: ComparisonSide, _ flow: FlowComparison) -> String? {
    guard flow.context.isSameAge, let profileA = a.enteredByOffset, let profileB = b.enteredByOffset,
      areDifferent(profileA, profileB)
    else { return nil }
    let younger = mean(profileA) > mean(profileB) ? a : b
    return
      "The \(flow.noun.plural) of \(younger.title) entered later in their period and have had less time, so its conversion is not "
      + "comparable yet. Compare again when the windows are closed"
  }

  private static func mean(_ profile: [Int: Int]) -> Double {
    Double(profile.reduce(0) { $0 + $1.key * $1.value }) / Double(max(1, profile.values.reduce(0, +)))
  }

  private static func differentWeekdays(_ flow: FlowComparison) -> String? {
    guard let weekdays = flow.context.differentWeekdays else { return nil }
    let remedy = weekdays.sameDaysEarlier.map { ", or --versus \($0) for the same days" } ?? ""
    return
      "The periods have different days of the week, so the difference may come from them. Use whole weeks\(remedy)"
  }

  /// The minimum number of entries on a usual day that makes a day without entries implausible.
  private static let usualEntriesMin = 10

  /// Returns a sentence if one side has no entries on a day of the week on which the other side has some, or
  /// `nil` otherwise.
  private static func missingWeekday(
    _ a: ComparisonSide, _ b: ComparisonSide, _ flow: FlowComparison, _ settings: ComparisonSettings
  ) -> String? {
    guard flow.by.hasWeekdays, settings.strata != .weekday else { return nil }
    let weekdaysA = a.enteredByWeekday
    let weekdaysB = b.enteredByWeekday
    for (side, own, others) in [(a, weekdaysA, weekdaysB), (b, weekdaysB, weekdaysA)] {
      let usual = others.filter { own[$0.key] == nil && $0.value >= usualEntriesMin }
      guard let missing = usual.keys.min(), side.entered >= usualEntriesMin * own.count else { continue }
      let day = CivilDate.weekdayName(missing)
      guard side.inProgress == 0 else {
        return
          "Nobody who entered \(side.title) on a \(day) is counted, so the difference may come from the days of the week. "
          + "\(flow.noun.counted(side.inProgress)) of \(side.title) are in progress: compare when their windows are closed"
      }
      return
        "Nobody entered \(side.title) on a \(day), so the difference may come from the days of the week. If people did, the log lacks "
        + "them; otherwise compare periods with the same days"
    }
    return nil
  }

  /// Returns a sentence if the shares of the days of the week differ between two periods or weeks, or `nil` otherwise.
  private static func differentWeekdayMix(
    _ a: ComparisonSide, _ b: ComparisonSide, _ flow: FlowComparison, _ settings: ComparisonSettings
  ) -> String? {
    guard flow.by.hasWeekdays, settings.strata != .weekday, areDifferent(a.enteredByWeekday, b.enteredByWeekday) else {
      return nil
    }
    return
      "Of \(a.title) and \(b.title), different shares entered on each day of the week, so the difference may come from the days. "
      + "--stratify weekday compares people of the same day of the week"
  }

  // MARK: - Counted in another way

  /// The maximum share of groups that get their value late, and of groups that never get one.
  private static let lateShareMax = 0.05

  private static func lateValues(_ flow: FlowComparison) -> String? {
    let context = flow.context
    let late = context.withLaterValue
    let all = context.wholeFlow.total
    // If every group gets a value, no side lacks the groups that left early.
    guard context.takesLaterValues, all > 0, Double(min(late, context.withoutValue)) > Double(all) * lateShareMax else {
      return nil
    }
    return
      "\(HumanNumbers.count(late)) of \(flow.noun.counted(all)) got their \(flow.by.name) only after the first step. Those who left before "
      + "are on no side, so a side whose value comes later looks better than it is. --by step.ID.\(flow.by.name) compares from the step on that "
      + "has the value"
  }

  /// The maximum difference between the sides' shares of groups in progress.
  private static let inProgressDifferenceMax = 0.05

  private static func differentAges(_ a: ComparisonSide, _ b: ComparisonSide, _ flow: FlowComparison) -> String? {
    guard flow.context.countsOpenGroups, !flow.context.isSameAge else { return nil }
    let openA = Double(a.countedInProgress) / Double(a.entered)
    let openB = Double(b.countedInProgress) / Double(b.entered)
    guard abs(openA - openB) > inProgressDifferenceMax else { return nil }
    return
      "\(HumanNumbers.percent(openA)) of \(a.title) and \(HumanNumbers.percent(openB)) of \(b.title) are still in progress and count as not "
      + "converted so far. Leave out --open-too"
  }

  private static func bestStarts(_ flow: FlowComparison) -> String? {
    flow.context.takesBestStart
      ? "--anchor best takes the start of each person that went farthest, so a side whose people start more often looks better"
      : nil
  }

  /// The maximum share of groups that have several values.
  private static let mixedShareMax = 0.05

  /// The maximum difference between the sides' shares of groups that were asked for a permission.
  private static let askedDifferenceMax = 0.05

  /// Returns a sentence if the primary metric is a rate among those who were asked, and the sides asked
  /// different shares of their groups, or `nil` otherwise.
  private static func differentlyAsked(
    _ a: ComparisonSide, _ b: ComparisonSide, _ flow: FlowComparison, _ settings: ComparisonSettings
  ) -> String? {
    let parts = settings.primaryMetric.split(separator: ":", maxSplits: 1).map(String.init)
    guard settings.isOfPermission, parts.count == 2, let ofA = a.answers(to: parts[1])?.granted,
      let ofB = b.answers(to: parts[1])?.granted,
      let asked = ComparedShare.proportions(
        ComparedShare(min(ofA.total, a.entered), of: a.entered), ComparedShare(min(ofB.total, b.entered), of: b.entered))?
        .compared,
      asked.p <= ComparisonMetric.alpha, abs(asked.difference) > askedDifferenceMax
    else { return nil }
    let shareA = Double(ofA.total) / Double(a.entered)
    let shareB = Double(ofB.total) / Double(b.entered)
    return "\(a.title) asked \(HumanNumbers.percent(min(1, shareA))) of its \(flow.noun.plural) for \(parts[1]) and \(b.title) "
      + "\(HumanNumbers.percent(min(1, shareB))), so the rates are of different \(flow.noun.plural)"
  }

  private static func mixed(_ a: ComparisonSide, _ b: ComparisonSide, _ flow: FlowComparison) -> String? {
    let mixed = a.mixed + b.mixed
    let counted = a.entered + b.entered
    let all = flow.context.dropsMixed ? mixed + counted : counted
    // Each of them may have changed the result of one side.
    let difference = ComparedShare.proportions(a.conversion, b.conversion)?.compared?.difference ?? 0
    let mayExplain = 2 * Double(mixed) > abs(difference) * Double(min(a.entered, b.entered))
    guard Double(mixed) > Double(all) * mixedShareMax || mixed >= fewGroupsMax && mayExplain else { return nil }
    guard flow.context.dropsMixed else {
      return
        "\(flow.noun.counted(mixed)) of \(HumanNumbers.count(all)) have more than one \(flow.by.name), and each counts under the first, so "
        + "a side may show what another one did"
    }
    return
      "--drop-mixed left out \(flow.noun.counted(mixed)). How far people went decides how often they were seen with a second value, so the rest is "
      + "not like all"
  }

  /// The maximum number of attempts per person at which p is still a good approximation.
  private static let attemptsPerPersonMax = 1.05

  private static func dependence(_ flow: FlowComparison) -> String? {
    guard flow.noun != .people else { return nil }
    let all = flow.sides.reduce(0) { $0 + $1.entered }
    let several: String
    if let people = flow.context.people {
      let counted = max(all, flow.context.wholeFlow.total)
      guard Double(counted) > Double(people) * attemptsPerPersonMax else { return nil }
      several = "The \(flow.noun.counted(counted)) are of \(CountedNoun.people.counted(people))"
    } else {
      several = "A person may have several \(flow.noun.plural)"
    }
    return
      "\(several). Those of one person are alike, but p takes all as independent and is too small. --count-by subject compares people"
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

extension TwoProportions {
  fileprivate var compared: TwoProportionComparison? { TwoProportionComparison(self) }
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
