import FunnelModel
import FunnelProjections
import FunnelRendering

// The caveats of sides that count different things. Each property is the sentence, or `nil` without a problem.

extension ComparedPair {
  // MARK: - Finished in another way

  /// The groups that reached the last step in another way decide the comparison.
  ///
  /// They do if counting them as converted moves the difference out of its 95 % interval.
  var otherWay: String? {
    let finishedA = Self.finished(a)
    let finishedB = Self.finished(b)
    guard let counted = Self.test(a.conversion, b.conversion), let withAll = Self.test(finishedA, finishedB),
      !(counted.low...counted.high).contains(withAll.difference), let rateA = finishedA.rate, let rateB = finishedB.rate
    else { return nil }
    let sides = [a, b].compactMap { side -> String? in
      let count = side.finishedOutOfOrder + side.inProgressOutOfOrder
      return count == 0 ? nil : "\(noun.counted(count)) in \(side.title)"
    }
    return
      "\(sides.joined(separator: " and ")) reached the last step in another way, without a required step or in another order. With them "
      + "\(b.title) converts \(HumanNumbers.percent(rateB.value)) and \(a.title) \(HumanNumbers.percent(rateA.value)). "
      + "--order any compares those who took all steps in any order"
  }

  private static func finished(_ side: ComparisonSide) -> ComparedShare {
    ComparedShare(side.conversion.count + side.finishedOutOfOrder + side.inProgressOutOfOrder, of: side.entered)
  }

  // MARK: - Values of the key

  /// The maximum share of groups that get their value late, and of groups that never get one.
  private static let lateShareMax = 0.05

  /// Many groups get their value late, and many never get one.
  var lateValues: String? {
    let late = context.withLaterValue
    let all = context.wholeFlow.total
    // If every group gets a value, no side lacks the groups that left early.
    guard context.takesLaterValues, all > 0, Double(min(late, context.withoutValue)) > Double(all) * Self.lateShareMax
    else { return nil }
    return
      "\(HumanNumbers.count(late)) of \(noun.counted(all)) got their \(flow.by.name) only after the first step. Those who left before "
      + "that are on neither side, so a side whose value comes later looks better than it is. --by step.ID.\(flow.by.name) compares from the step on that "
      + "has the value"
  }

  /// The maximum share of groups that have several values.
  private static let severalValuesShareMax = 0.05

  /// Groups have the values of several sides.
  var severalValues: String? {
    let mixed = a.mixed + b.mixed
    let counted = a.entered + b.entered
    let all = context.dropsMixed ? mixed + counted : counted
    // Each of them may have changed the result of one side.
    let difference = Self.test(a.conversion, b.conversion)?.difference ?? 0
    let mayExplain = 2 * Double(mixed) > abs(difference) * Double(min(a.entered, b.entered))
    guard Double(mixed) > Double(all) * Self.severalValuesShareMax || mixed >= fewGroupsMax && mayExplain else { return nil }
    guard context.dropsMixed else {
      return
        "\(noun.counted(mixed)) of \(HumanNumbers.count(all)) have more than one \(flow.by.name), and each counts under the first, so "
        + "a side may show what another one did"
    }
    return
      "--drop-mixed left out \(noun.counted(mixed)). Those who went further had more chances to show a second value, so those who "
      + "remain are not typical"
  }

  // MARK: - Groups in progress

  /// The maximum difference between the sides' shares of groups in progress.
  private static let inProgressDifferenceMax = 0.05

  /// Different shares of the sides are in progress.
  var differentAges: String? {
    guard context.countsOpenGroups, !context.isSameAge else { return nil }
    let openA = Double(a.countedInProgress) / Double(a.entered)
    let openB = Double(b.countedInProgress) / Double(b.entered)
    guard abs(openA - openB) > Self.inProgressDifferenceMax else { return nil }
    return
      "\(HumanNumbers.percent(openA)) of \(a.title) and \(HumanNumbers.percent(openB)) of \(b.title) are still in progress and count as not "
      + "converted so far. Leave out --open-too"
  }

  // MARK: - Different groups

  /// Each group is anchored at its best start.
  var bestStarts: String? {
    guard context.takesBestStart else { return nil }
    return
      "--anchor best takes the start of each person that went farthest, so a side whose people start more often looks better"
  }

  /// The maximum difference between the sides' shares of groups that were asked for a permission.
  private static let askedDifferenceMax = 0.05

  /// The primary metric is a rate among those who were asked, and the sides asked different shares of their groups.
  var askedDifferently: String? {
    guard let permission = settings.primary?.permission, let ofA = a.answers(to: permission)?.granted,
      let ofB = b.answers(to: permission)?.granted,
      let asked = Self.test(
        ComparedShare(min(ofA.total, a.entered), of: a.entered), ComparedShare(min(ofB.total, b.entered), of: b.entered)),
      asked.p <= ComparisonMetric.alpha, abs(asked.difference) > Self.askedDifferenceMax
    else { return nil }
    let shareA = Double(ofA.total) / Double(a.entered)
    let shareB = Double(ofB.total) / Double(b.entered)
    return "\(a.title) asked \(HumanNumbers.percent(min(1, shareA))) of its \(noun.plural) for \(permission) and \(b.title) "
      + "\(HumanNumbers.percent(min(1, shareB))), so the rates are of different \(noun.plural)"
  }

  /// The maximum number of attempts per person at which p is still a good approximation.
  private static let attemptsPerPersonMax = 1.05

  /// The groups of one person are alike, but are tested as independent.
  var dependentGroups: String? {
    guard noun != .people else { return nil }
    let several: String
    if let people = context.people {
      let counted = max(flow.sides.reduce(0) { $0 + $1.entered }, context.wholeFlow.total)
      guard Double(counted) > Double(people) * Self.attemptsPerPersonMax else { return nil }
      several = "The \(noun.counted(counted)) are of \(CountedNoun.people.counted(people))"
    } else {
      several = "A person may have several \(noun.plural)"
    }
    return
      "\(several). Those of one person are alike, but the test treats all as independent, so p is too small. --count-by person compares people"
  }
}
