import FunnelModel

// Steps at the end of a draft: those that close it whatever their names, and those that have no common order with the goal.
extension StepStatistics {
  /// Returns the index of a step that is named like the end of a visit but closes the flow, or `nil` if there is none.
  ///
  /// Nearly all subjects have such a step, once, as their last one, and nearly all of them had the goal before. Fewer may have it
  /// if its name is also that of a state, such as the `close` of a ticket, and the goal is not named like a good end.
  ///
  /// - Parameters:
  ///   - steps: The steps in order.
  ///   - goal: The index of the step that is the goal by its name.
  ///   - paths: The paths of the subjects along the steps.
  func closingStep(of steps: [InferredFlow.Step], after goal: Int, _ counts: Counts, _ paths: StepPaths) -> Int? {
    steps.indices.last { index in
      let step = steps[index]
      guard step.meaning == .leaving, index != goal else { return false }
      // Each visit ends. What many never have is a state.
      let maybeState = StepMeaning.isAmbiguousEnd(step.id) && !StepMeaning.isGoodEnd(steps[goal].id)
      let countMin = StepPaths.requiredShareMin * Double(step.subjects)
      let lastCount = counts.orders.count { $0.last == step.step }
      return (maybeState || counts.share(step.step) >= StepPaths.requiredShareMin) && Double(lastCount) >= countMin
        && Double(counts.singleCounts[step.step] ?? 0) >= countMin && paths.follows(index, goal)
    }
  }

  /// Returns a sentence about a goal that is named like the end of a visit, or no sentences.
  func closingSentences(_ steps: [InferredFlow.Step]) -> [String] {
    guard let last = steps.last, last.meaning == .leaving else { return [] }
    guard let other = steps.dropLast().last(where: { $0.meaning == .regular }) else { return [] }
    return [
      "the goal is \(last.id), because \(Quantity.counted(last.subjects, "subject")) \(last.subjects == 1 ? "has" : "have") it, once and after all else; "
        + "--goal \(other.id) names another one"
    ]
  }

  /// Two steps have no common order if at most this share of the subjects who have one of them has both.
  private static let bothEndsShareMax = 0.25
  /// A step competes with the goal if it has at least this share of the goal's subjects.
  private static let rivalShareMin = 0.5

  /// Returns sentences about the steps that have no common order with the goal, so that either may be the goal.
  func unorderedRemarks(of segments: [Segment]) -> [String] {
    // A goal that the user names needs no remark.
    guard goal == nil else { return [] }
    var sentences: [String] = []
    for sentence in segments.compactMap({ unorderedRemark(of: $0.counts) }) where !sentences.contains(sentence) {
      sentences.append(sentence)
    }
    return sentences
  }

  /// Returns a sentence about the most frequent step that has no common order with the goal, or `nil` if there is none.
  private func unorderedRemark(of counts: Counts) -> String? {
    let steps = steps(of: counts)
    guard let last = steps.last, last.meaning == .regular else { return nil }
    let rivals = steps.dropLast().filter { isRival($0, of: last, counts) }
    guard let rival = rivals.max(by: { ($0.subjects, $1.step) < ($1.subjects, $0.step) }) else { return nil }
    let (both, either) = Self.common(rival.step, last.step, counts)
    return
      "\(rival.id) and \(last.id) have no common order: \(Quantity.count(both)) of the \(Quantity.count(either)) subjects who have one of them \(both == 1 ? "has" : "have") both; "
      + "the goal is \(last.id), --goal \(rival.id) names the other one"
  }

  /// Whether a step is reached as late as the goal, by comparably many subjects, of whom few have both and the others stop there.
  private func isRival(_ step: InferredFlow.Step, of last: InferredFlow.Step, _ counts: Counts) -> Bool {
    guard step.isOptional, step.meaning == .regular, abs(step.position - last.position) < 1,
      Double(step.subjects) >= Self.rivalShareMin * Double(last.subjects)
    else { return false }
    let (both, either) = Self.common(step.step, last.step, counts)
    let stopped = counts.orders.count { $0.last == step.step }
    return Double(both) <= Self.bothEndsShareMax * Double(either)
      && Double(stopped) >= StepPaths.requiredShareMin * Double(step.subjects - both)
  }

  /// Returns the number of subjects who have both of two steps, and the number of those who have at least one.
  private static func common(_ first: InferredStep, _ second: InferredStep, _ counts: Counts) -> (both: Int, either: Int) {
    let both = counts.orders.count { $0.contains(first) && $0.contains(second) }
    let either = counts.orders.count { $0.contains(first) || $0.contains(second) }
    return (both, either)
  }
}
