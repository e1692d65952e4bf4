import FunnelModel
import FunnelProjections
import FunnelRendering

/// Counts the groups that entered an optional step within the window, but in another order: before the required step that precedes
/// it in the flow, or after the one that follows it. The funnel does not count them at the step.
final class OtherOrderProjector: Projector {
  static let readsChain = true

  /// The counts of one flow version.
  typealias Row = OtherOrderGroups

  private let query: FlowQuery
  /// The groups by the index of the optional step in the flow.
  private let byStep: CounterBlock
  let counterCount: Int

  init(_ query: FlowQuery) {
    self.query = query
    var layout = CounterLayout()
    byStep = layout.block(query.flow.steps.count)
    counterCount = layout.count
  }

  var durationCount: Int { 0 }

  func contribute(_ events: GroupEvents, along chain: ChainMatch, into contribution: inout Contribution) {
    guard chain.isCounted else { return }
    let matcher = query.matcher
    var hasSection = false
    for optional in matcher.optionalSteps where matcher.entersInOtherOrder(optional, in: events, along: chain) {
      if !hasSection { contribution.beginSection(at: chain.anchor) }
      hasSection = true
      contribution.count(byStep[optional.step])
    }
  }

  func rows(from segments: SegmentedCounts) -> [OtherOrderGroups] {
    var groups = OtherOrderGroups(flow: query.flow)
    for segment in segments.all {
      for step in groups.byStep.indices { groups.byStep[step] += segment[byStep[step]] }
    }
    return [groups]
  }
}

/// The groups of one flow version that entered an optional step in another order.
struct OtherOrderGroups: Hashable, Sendable {
  let flow: FlowDefinition
  /// The number of groups by the index of the step. 0 for required steps.
  var byStep: [Int]

  /// The inverse of a threshold: the groups are noted if they are more than a tenth of all that entered the step. A few went
  /// back to a step that they had left out.
  private static let partMax = 10
  /// The smallest number of groups that is noted.
  private static let groupsMin = 3
  /// The maximum number of steps with a sentence each.
  private static let stepsShownMax = 3

  init(flow: FlowDefinition) {
    self.flow = flow
    byStep = Array(repeating: 0, count: flow.steps.count)
  }

  /// Returns sentences about the optional steps that many entered in another order.
  ///
  /// - Parameter rows: The funnels of all segments of the flow version.
  func sentences(counting noun: CountedNoun, rows: [FunnelRow]) -> [String] {
    let counted = byStep.indices.map { step in rows.reduce(0) { $0 + ($1.steps[step].reached ?? 0) } }
    let steps = byStep.indices
      .filter { byStep[$0] >= Self.groupsMin && byStep[$0] * Self.partMax > byStep[$0] + counted[$0] }
      .sorted { (byStep[$1], $0) < (byStep[$0], $1) }
    let sentences = steps.prefix(Self.stepsShownMax).map { step in
      let id = flow.steps[step].id
      return
        "\(flow.reference): \(id) counts \(noun.counted(counted[step])), and \(HumanNumbers.count(byStep[step])) more had it in another order, "
        + "\(otherOrder(of: step)): \(advice(for: step))"
    }
    let more = steps.count - sentences.count
    guard more > 0 else { return sentences }
    return sentences + [
      "\(flow.reference): the same applies to \(HumanNumbers.count(more)) more optional step\(more == 1 ? "" : "s")"
    ]
  }

  /// Returns the order in which a funnel does not count an optional step, as a clause.
  private func otherOrder(of step: Int) -> String {
    let before = stepBefore(step).map { "before \(flow.steps[$0].id)" }
    let after = stepAfter(step).map { "after \(flow.steps[$0].id)" }
    return [before, after].compactMap(\.self).joined(separator: " or ")
  }

  /// Returns the change of the definition that counts an optional step in either order, as a clause.
  private func advice(for step: Int) -> String {
    let id = flow.steps[step].id
    let anyOrder = "make \(id) required and use --order any"
    // People enter at the first required step, so it stays required.
    let neighbors = [stepBefore(step), stepAfter(step)].compactMap(\.self).filter { $0 != flow.requiredSteps.first }
      .map { flow.steps[$0].id }
    guard !neighbors.isEmpty else { return anyOrder }
    return "make \(neighbors.joined(separator: " and ")) optional too, and \(id) counts in either order, or \(anyOrder)"
  }

  /// Returns the required step before an optional one, or `nil` if there is none or it is the first one, where people enter.
  private func stepBefore(_ step: Int) -> Int? { flow.requiredSteps.dropFirst().last { $0 < step } }

  /// Returns the required step after an optional one, or `nil` if that is the last one, after which optional steps count too.
  private func stepAfter(_ step: Int) -> Int? { flow.requiredSteps.dropLast().first { $0 > step } }
}
