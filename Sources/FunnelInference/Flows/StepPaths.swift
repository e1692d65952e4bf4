/// The paths of subjects along the steps of an inferred flow: which steps each had before a later one.
struct StepPaths {
  /// The indices of the steps of each subject, in the order of their first occurrences.
  private let paths: [[Int]]
  /// The indices of the steps that show how far a subject came. The others come with each visit, end one, undo
  /// something, or say that it failed.
  private var progress: Set<Int>

  /// The share of those who reach a later step that must have had a step before, so that it is required.
  static let requiredShareMin = 0.95

  /// Creates the paths along some steps. Other steps of the subjects are skipped.
  ///
  /// - Parameters:
  ///   - orders: The steps of each subject in the order of their first occurrences.
  ///   - steps: The steps of the flow in their order.
  init(_ orders: [[InferredStep]], steps: [InferredStep]) {
    let indices = Dictionary(uniqueKeysWithValues: steps.enumerated().map { ($1, $0) })
    paths = orders.map { order in order.compactMap { indices[$0] } }
    // The last step is the goal, whatever its name.
    progress = Set(steps.indices.filter { StepMeaning(steps[$0]) == .regular || $0 == steps.count - 1 })
  }

  /// Returns the index of the goal: the step that comes last most often among the subjects who have the most steps.
  ///
  /// - Parameter candidates: The indices of the steps that count and may be the goal.
  func goal(among candidates: Set<Int>) -> Int {
    let counted = paths.map { path in path.filter(candidates.contains) }
    let longest = counted.map(\.count).max() ?? 0
    var counts: [Int: Int] = [:]
    for path in counted where path.count == longest {
      if let last = path.last { counts[last, default: 0] += 1 }
    }
    // Of two, the later step is the goal.
    return counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key ?? 0
  }

  /// Whether at least half of those who have a step have it before all others of some steps.
  func comesFirst(_ step: Int, among steps: Set<Int>) -> Bool {
    let own = paths.filter { $0.contains(step) }
    return own.count { path in path.first(where: steps.contains) == step } * 2 >= own.count
  }

  /// Whether nearly all who have a step had another one before.
  func follows(_ step: Int, _ earlier: Int) -> Bool {
    let own = paths.compactMap { path in path.firstIndex(of: step).map { path[..<$0] } }
    return !own.isEmpty && Double(own.count { $0.contains(earlier) }) >= Self.requiredShareMin * Double(own.count)
  }

  /// Whether a step is required: nearly all who reached a later step had it before the first later step that they reached.
  func isRequired(_ step: Int) -> Bool {
    holds(after: step) { $0.contains(step) }
  }

  /// Returns the share of the subjects with a later step who did not have a step before it, or 0 if nobody has a later step.
  ///
  /// Of several later steps, the first one that a subject reached counts.
  func skippedShare(_ step: Int) -> Double {
    let (count, laterCount) = count(after: step) { !$0.contains(step) }
    return laterCount == 0 ? 0 : Double(count) / Double(laterCount)
  }

  /// The indices of the steps that may be outcomes, such as a rejection: nearly all who have one stop there, without the goal.
  var endings: Set<Int> {
    guard let goal = progress.max() else { return [] }
    return progress.filter { step in
      guard step != goal else { return false }
      let own = paths.filter { $0.contains(step) }
      let ended = own.count { $0.last == step && !$0.contains(goal) }
      return own.count >= Self.endingSubjectsMin && Double(ended) >= Self.requiredShareMin * Double(own.count)
    }
  }

  private static let endingSubjectsMin = 3

  /// Returns the paths in which some steps do not show how far a subject came.
  func without(_ steps: Set<Int>) -> StepPaths {
    var paths = self
    paths.progress.subtract(steps)
    return paths
  }

  /// The share of those who reach a later step that may have both of two alternatives before. A larger share took both steps.
  private static let bothAlternativesShareMax = 0.1

  /// Whether each of those who reached a step after both had one of two steps before, and few had both.
  func areAlternatives(_ first: Int, _ second: Int) -> Bool {
    let later = max(first, second)
    let reached = paths.compactMap { path in path.firstIndex { $0 > later && progress.contains($0) }.map { path[..<$0] } }
    let bothCount = reached.count { $0.contains(first) && $0.contains(second) }
    return !reached.isEmpty && Double(bothCount) < Self.bothAlternativesShareMax * Double(reached.count)
      && reached.allSatisfy { $0.contains(first) || $0.contains(second) }
      && reached.contains { $0.contains(first) } && reached.contains { $0.contains(second) }
  }

  /// Returns whether a condition holds for nearly all subjects who reached a step after one, given their steps before it.
  private func holds(after step: Int, _ condition: (ArraySlice<Int>) -> Bool) -> Bool {
    let (count, laterCount) = count(after: step, condition)
    return Double(count) >= Self.requiredShareMin * Double(laterCount)
  }

  /// Returns the number of subjects who reached a step after one, and the number of those for whom a condition holds, given their
  /// steps before it.
  private func count(after step: Int, _ condition: (ArraySlice<Int>) -> Bool) -> (count: Int, laterCount: Int) {
    var laterCount = 0
    var count = 0
    for path in paths {
      guard let end = path.firstIndex(where: { $0 > step && progress.contains($0) }) else { continue }
      laterCount += 1
      if condition(path[..<end]) { count += 1 }
    }
    return (count, laterCount)
  }
}
