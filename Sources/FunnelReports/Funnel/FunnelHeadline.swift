import FunnelModel
import FunnelProjections
import FunnelRendering

/// The result of a funnel in one sentence: how many finish, where most drop, and what changed.
///
/// It counts the groups of all segments. If many are in progress, it counts those whose window has closed.
struct FunnelHeadline {
  private let noun: CountedNoun
  private var entered = 0
  private var completed = 0
  private var inProgress = 0
  private var dropped = 0
  /// The number of those that dropped but reached the last step in another way.
  private var finishedOutOfOrder = 0
  /// The number of those in progress that reached the last step in another way.
  private var inProgressOutOfOrder = 0
  private let order: StepOrder
  private var closed = ClosedConversion()
  /// The required steps with the numbers of groups that reached them and that dropped there.
  private var steps: [(label: String, reached: Int, dropped: Int)] = []
  /// The closed conversions of the segments, without those of few groups.
  private var segments: [(name: Phrase, conversion: Rate)] = []

  /// Creates the headline of one flow version.
  ///
  /// - Parameters:
  ///   - rows: The funnels of all segments, with the labels of their steps.
  ///   - noun: The noun for the groups of the flow.
  ///   - query: The query of the rows.
  init(_ rows: [FunnelRow], counting noun: CountedNoun, of query: ReportQuery) {
    self.noun = noun
    order = query.order
    // The best of many days is best by chance. Trends show days.
    let isByTime = query.by.contains { $0.calendarExample != nil }
    for row in rows {
      entered += row.entered
      completed += row.completed
      inProgress += row.inProgress
      dropped += row.dropped
      finishedOutOfOrder += row.finishedOutOfOrder
      inProgressOutOfOrder += row.inProgressOutOfOrder
      closed.entered += row.closed.entered
      closed.completed += row.closed.completed
      if !isByTime, !row.key.segment.isEmpty, let conversion = Rate(row.closed.completed, of: row.closed.entered),
        conversion.denominator >= fewGroupsMax
      {
        segments.append((Phrase([.segment(row.key.segment)]), conversion))
      }
      for (index, step) in row.steps.filter({ !$0.isOptional }).enumerated() {
        if index == steps.count { steps.append((step.label, 0, 0)) }
        steps[index].reached += step.reached ?? 0
        steps[index].dropped += step.dropped ?? 0
      }
    }
  }

  /// Returns the sentence without its full stop, or `nil` if nobody entered.
  ///
  /// - Parameter change: A clause about the change from the period before, or `nil`.
  func phrase(change: String?) -> Phrase? {
    guard entered > 0 else { return nil }
    let areManyOpen = ManyInProgress.holds(inProgress, of: entered)
    let clauses = [
      result(areManyOpen: areManyOpen), loss(isSoFar: areManyOpen), otherWay, segmentEnds, change.map { Phrase("; \($0)") },
    ]
    return clauses.compactMap(\.self).reduce(Phrase([]), +)
  }

  private func result(areManyOpen: Bool) -> Phrase {
    guard areManyOpen else {
      return Phrase("\(HumanNumbers.count(completed)) of \(noun.counted(entered)) finished", .strong)
        + share(completed, of: entered)
    }
    guard closed.entered > 0 else {
      return Phrase("\(HumanNumbers.count(completed)) of \(noun.counted(entered)) finished so far", .strong)
        + Phrase(", and no window has closed yet")
    }
    return Phrase("Of the \(noun.counted(closed.entered)) whose window has closed, ")
      + Phrase("\(HumanNumbers.count(closed.completed)) finished", .strong) + share(closed.completed, of: closed.entered)
  }

  /// A clause about those who do not count as finished but reached the last step in another way, or `nil` if they are few.
  private var otherWay: Phrase? {
    let all = [
      (finishedOutOfOrder, dropped, "counted as dropped"), (inProgressOutOfOrder, inProgress, "counted as in progress"),
    ]
    let clauses = all.filter { LeftOutText.Unfinished(finished: $0.0, all: $0.1).areMany }.map {
      "\(HumanNumbers.count($0.0)) of the \(HumanNumbers.count($0.1)) \($0.2)"
    }
    guard !clauses.isEmpty else { return nil }
    return Phrase("; \(clauses.joined(separator: " and ")) did finish, with steps in a different order or a step missing")
  }

  /// A clause about the highest and the lowest conversion of the segments, or `nil` without two segments to name. It is no
  /// verdict: whether two segments differ is the result of a comparison.
  private var segmentEnds: Phrase? {
    guard let highest = segments.max(by: { $0.conversion.value < $1.conversion.value }),
      let lowest = segments.min(by: { $0.conversion.value < $1.conversion.value }),
      highest.conversion.value > lowest.conversion.value
    else { return nil }
    func end(_ segment: (name: Phrase, conversion: Rate)) -> Phrase {
      segment.name + Phrase(" \(HumanNumbers.percent(segment.conversion.value))")
    }
    let ofClosed = closed.entered < entered ? " of closed windows" : ""
    return segments.count == 2
      ? Phrase("; ") + end(highest) + Phrase(", ") + end(lowest) + Phrase(ofClosed)
      : Phrase("; highest ") + end(highest) + Phrase(", lowest ") + end(lowest) + Phrase(ofClosed)
  }

  private func share(_ count: Int, of whole: Int) -> Phrase { .shareInParentheses(count, of: whole) }

  /// Returns a clause about the step at which most groups dropped, or `nil` if the steps are unknown.
  private func loss(isSoFar: Bool) -> Phrase? {
    guard let index = steps.indices.max(by: { steps[$0].dropped < steps[$1].dropped }) else { return nil }
    let worst = steps[index]
    // Before the first window closes, nobody can have dropped.
    guard worst.dropped > 0 else { return isSoFar ? nil : Phrase("; nobody dropped") }
    // Those who reached the step may still be in progress, and those who dropped are not.
    func numbers(_ reached: String) -> Phrase {
      let dropped = HumanNumbers.count(worst.dropped)
      return isSoFar
        ? Phrase(" (\(dropped) so far)")
        : Phrase(", \(dropped) of the \(HumanNumbers.count(worst.reached)) \(noun.pronoun) \(reached)")
    }
    switch order {
    case .ordered, .strict:
      return Phrase("; most dropped at ") + Phrase(worst.label, .strong) + numbers("reached it")
    case .any:
      // In any order a row is a number of steps, so it has no label of a step.
      return Phrase("; most dropped after ")
        + Phrase("\(HumanNumbers.count(index + 1)) of the \(HumanNumbers.count(steps.count)) steps", .strong)
        + Phrase(", in any order") + numbers("took as many")
    }
  }
}
