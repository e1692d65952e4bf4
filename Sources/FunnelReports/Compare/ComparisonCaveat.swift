import FunnelModel
import FunnelProjections
import FunnelRendering

/// A reason why the comparison of two sides is not fair, as a sentence without a full stop.
///
/// A p value accounts for chance only. It does not account for sides that entered at different times or that
/// count different things. A verdict with a caveat never recommends that a test be stopped.
package struct ComparisonCaveat: Hashable, Sendable {
  package let rule: Rule
  /// The sentence. It names the option that avoids the problem, if there is one.
  package let text: String

  /// The rules that find caveats, most important first.
  package enum Rule: CaseIterable, Sendable {
    /// The groups that reached the last step in another way decide the comparison.
    case otherWay
    /// The sides entered on different days.
    case differentDays
    /// The sides entered on different days of the week.
    case differentWeekdays
    /// Many groups get their value late, and many never get one.
    case lateValues
    /// Different shares of the sides are in progress.
    case differentAges
    /// Of two periods that are compared at the same age, one has younger groups.
    case differentProfiles
    /// Each group is anchored at its best start.
    case bestStarts
    /// Groups have the values of several sides.
    case severalValues
    /// The sides asked different shares of their groups for the permission of the primary metric.
    case askedDifferently
    /// Single days are compared, which are different days of the week.
    case singleDays
    /// The groups of one person are alike, but are tested as independent.
    case dependentGroups
  }

  /// Whether the problem can produce a false difference, but cannot hide a true one. Such a caveat applies only
  /// if there is a difference.
  package var onlyMakesDifferences: Bool {
    switch rule {
    case .singleDays, .dependentGroups: true
    case .otherWay, .differentDays, .differentWeekdays, .lateValues, .differentAges, .differentProfiles, .bestStarts,
      .severalValues, .askedDifferently:
      false
    }
  }

  /// Returns the caveats of a pair of sides, most important first. There are none if a side is empty.
  static func all(of pair: ComparedPair) -> [ComparisonCaveat] {
    guard pair.a.entered > 0, pair.b.entered > 0 else { return [] }
    return Rule.allCases.compactMap { rule in
      rule.sentence(about: pair).map { ComparisonCaveat(rule: rule, text: $0) }
    }
  }
}

extension ComparisonCaveat.Rule {
  /// Returns the sentence about a pair of sides, none of which is empty, or `nil` if the rule finds no problem.
  fileprivate func sentence(about pair: ComparedPair) -> String? {
    switch self {
    // The share that reached the last step does not affect the rates of a permission.
    case .otherWay: pair.settings.primary?.permission == nil ? pair.otherWay : nil
    case .differentDays: pair.differentDays
    case .differentWeekdays:
      pair.isOneDay ? nil : pair.differentWeekdays ?? pair.missingWeekday ?? pair.differentWeekdayShares
    case .lateValues: pair.lateValues
    case .differentAges: pair.differentAges
    case .differentProfiles: pair.differentProfiles
    case .bestStarts: pair.bestStarts
    case .severalValues: pair.severalValues
    case .askedDifferently: pair.askedDifferently
    case .singleDays: pair.isOneDay ? pair.differentWeekdays : nil
    case .dependentGroups: pair.dependentGroups
    }
  }
}

/// The baseline and another side of a comparison.
struct ComparedPair {
  /// The baseline.
  let a: ComparisonSide
  let b: ComparisonSide
  let flow: FlowComparison
  let settings: ComparisonSettings

  var noun: CountedNoun { flow.noun }
  var context: FlowComparison.Context { flow.context }

  /// Whether the periods are single days, or parts of days. Readers know that these are different days of the week.
  var isOneDay: Bool {
    // A period without an earlier one of the same days is part of a day, or a day beside a week.
    context.differentWeekdays.map { $0.sameDaysEarlier == nil } ?? false
  }

  /// Returns the test of the difference of two shares, or `nil` if a total is 0.
  static func test(_ a: ComparedShare, _ b: ComparedShare) -> TwoProportionComparison? {
    ComparedShare.proportions(a, b).map { TwoProportionComparison($0) }
  }
}
