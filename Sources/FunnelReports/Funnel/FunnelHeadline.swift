import FunnelModel
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
  private let order: StepOrder
  private var closed = ClosedConversion()
  /// The required steps with the numbers of groups that reached them and that dropped there.
  private var steps: [(label: String, reached: Int, dropped: Int)] = []

  /// Creates the headline of one flow version.
  ///
  /// - Parameters:
  ///   - rows: The funnels of all segments, with the labels of their steps.
  ///   - noun: The noun for the groups of the flow.
  ///   - order: The order of the steps in the query.
  init(_ rows: [FunnelRow], counting noun: CountedNoun, order: StepOrder) {
    self.noun = noun
    self.order = order
    for row in rows {
      entered += row.entered
      completed += row.completed
      inProgress += row.inProgress
      dropped += row.dropped
      finishedOutOfOrder += row.finishedOutOfOrder
      closed.entered += row.closed.entered
      closed.completed += row.closed.completed
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
      result(areManyOpen: areManyOpen), loss(isSoFar: areManyOpen), otherWay, change.map { Phrase("; \($0)") },
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

  /// A clause about those who dropped but reached the last step in another way, or `nil` if they are few.
  private var otherWay: Phrase? {
    guard LeftOutText.Unfinished(finished: finishedOutOfOrder, all: dropped).areMany else { return nil }
    return Phrase(
      "; \(HumanNumbers.count(finishedOutOfOrder)) of the \(HumanNumbers.count(dropped)) counted as dropped finished in another order or without a step"
    )
  }

  private func share(_ count: Int, of whole: Int) -> Phrase { .shareInParentheses(count, of: whole) }

  /// Returns a clause about the step at which most groups dropped, or `nil` if the steps are unknown.
  private func loss(isSoFar: Bool) -> Phrase? {
    guard let worst = steps.max(by: { $0.dropped < $1.dropped }) else { return nil }
    guard worst.dropped > 0 else { return Phrase("; nobody dropped") }
    let numbers = "\(HumanNumbers.count(worst.dropped)) of the \(HumanNumbers.count(worst.reached)) \(noun.pronoun) reached it"
    // The label of a step in any order is `any 2 of 6 steps`.
    return Phrase("; most dropped \(order == .any ? "after" : "at") ") + Phrase(worst.label, .strong)
      + Phrase(", \(numbers)\(isSoFar ? ", so far" : "")")
  }
}
