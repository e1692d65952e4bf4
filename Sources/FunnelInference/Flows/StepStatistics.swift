import FunnelDecoding
import FunnelIngest
import FunnelModel

/// Counts the steps of the subjects in occurrence statistics, and their positions, by app version.
struct StepStatistics {
  /// The counts of some subjects.
  struct Counts {
    /// The number of subjects.
    var subjects = 0
    /// The positions, from 1, of each step in the sequence of a subject's first occurrences, one for each subject.
    var positions: [InferredStep: [Int]] = [:]
    /// The steps of each subject in the order of their first occurrences.
    var orders: [[InferredStep]] = []
    /// The times of ``orders`` in milliseconds.
    var times: [[Int64]] = []
    /// The number of subjects who have each step exactly once.
    var singleCounts: [InferredStep: Int] = [:]

    /// Adds the counts of other subjects.
    mutating func add(_ other: Counts) {
      subjects += other.subjects
      positions.merge(other.positions, uniquingKeysWith: +)
      orders += other.orders
      times += other.times
      singleCounts.merge(other.singleCounts, uniquingKeysWith: +)
    }

    /// Returns the share of subjects that have a step, or 0 if there are no subjects.
    func share(_ step: InferredStep) -> Double { subjects == 0 ? 0 : Double(positions[step]?.count ?? 0) / Double(subjects) }

    /// The share of subjects that have each step.
    var shares: [InferredStep: Double] { positions.mapValues { Double($0.count) / Double(max(subjects, 1)) } }
  }

  /// Successive app versions with the same steps.
  struct Segment {
    /// The range of app versions in the notation of a definition, such as `>=2.0 <3.1`. Empty for all versions.
    var range: String
    var counts: Counts
  }

  /// The minimum number of subjects from which the steps of an app version are inferred.
  private static let subjectsOfVersionMin = 20
  /// A version lacks a step if the step's share is below ``shareMin`` divided by this number.
  private static let lackingShareDivisor = 5.0

  /// The minimum share of subjects that must have a step.
  let shareMin: Double
  /// The ID of the step that the user names as the goal, or `nil` if it is inferred.
  let goal: String?
  /// The counts of all subjects.
  private(set) var whole = Counts()
  /// The number of subjects who have each step again and again, also long after all other steps.
  private(set) var returningCounts: [InferredStep: Int] = [:]
  /// The number of subjects who have each step at least ``returningEventsMin`` times.
  private var repeatingCounts: [InferredStep: Int] = [:]
  private var byVersion: [(version: DottedVersion, text: String, counts: Counts)] = []

  /// Counts the steps of all subjects in a scope.
  ///
  /// - Parameter goal: The ID of the step that the user names as the goal, or `nil` to infer it.
  init(
    _ statistics: OccurrenceStatistics, scope: InferenceScope, permissions: PermissionNames, shareMin: Double, goal: String?
  ) {
    self.shareMin = shareMin
    self.goal = goal
    let steps = Self.steps(of: statistics, scope, permissions)
    var counts: [Int: Counts] = [:]
    for subject in statistics.subjects {
      let order = Self.order(of: subject, steps)
      guard subject.occurrences.contains(where: { scope.eventClasses.contains($0.eventClass) }) else { continue }
      whole.count(order)
      for step in Set(Self.returningSteps(of: subject, order, steps)) { returningCounts[step, default: 0] += 1 }
      let repeating = subject.occurrences.filter { $0.count >= Self.returningEventsMin }
      for step in Set(repeating.compactMap { steps[$0.eventClass] }) { repeatingCounts[step, default: 0] += 1 }
      if let version = subject.appVersion { counts[version, default: Counts()].count(order) }
    }
    byVersion = counts.compactMap { number, counts in
      let text = statistics.appVersions[number]
      return DottedVersion(text).map { ($0, text, counts) }
    }.sorted { $0.version < $1.version }
  }

  /// Returns the step of each event class. Steps are screens if there are any, otherwise events. Permissions are always steps.
  private static func steps(
    of statistics: OccurrenceStatistics, _ scope: InferenceScope, _ permissions: PermissionNames
  ) -> [Int: InferredStep] {
    let hasScreens = scope.eventClasses.contains { statistics.eventClasses[$0].name.name == StepEventName.viewed.rawValue }
    var steps: [Int: InferredStep] = [:]
    for eventClass in scope.eventClasses {
      let name = statistics.eventClasses[eventClass].name
      if let meaning = permissions.interpretations[name.name] {
        steps[eventClass] = .permission(meaning.permission)
      } else if hasScreens {
        if name.name == StepEventName.viewed.rawValue, let step = name.step { steps[eventClass] = .screen(step) }
      } else if !StepEventName.isAboutStep(name.name), !name.name.hasPrefix(PermissionEventName.prefix) {
        steps[eventClass] = .event(name.name)
      }
    }
    return steps
  }

  /// A step of a subject: the time of its first event in milliseconds, and the number of its events.
  private typealias StepOccurrence = (step: InferredStep, milliseconds: Int64, eventCount: Int)

  /// Returns the steps of a subject in the order of their first occurrences.
  private static func order(of subject: OccurrenceStatistics.Subject, _ steps: [Int: InferredStep]) -> [StepOccurrence] {
    var first: [InferredStep: OccurrenceStatistics.Moment] = [:]
    var eventCounts: [InferredStep: Int] = [:]
    for occurrence in subject.occurrences {
      guard let step = steps[occurrence.eventClass] else { continue }
      first[step] = first[step].map { min($0, occurrence.moment) } ?? occurrence.moment
      eventCounts[step, default: 0] += occurrence.count
    }
    return first.sorted { $0.value < $1.value }.map { ($0.key, $0.value.milliseconds, eventCounts[$0.key] ?? 0) }
  }

  /// The number of times that a subject has a step from which it comes again and again.
  private static let returningEventsMin = 3
  /// The time in milliseconds after the first occurrences of all other steps at which such a step still comes.
  private static let returningMillisecondsMin: Int64 = 86_400_000

  /// Returns the steps that a subject has again and again, also long after all other steps.
  ///
  /// - Parameter order: The steps in the order of their first occurrences.
  private static func returningSteps(
    of subject: OccurrenceStatistics.Subject, _ order: [StepOccurrence], _ steps: [Int: InferredStep]
  ) -> [InferredStep] {
    subject.occurrences.compactMap { occurrence -> InferredStep? in
      guard occurrence.count >= returningEventsMin, let step = steps[occurrence.eventClass],
        let other = order.last(where: { $0.step != step }),
        occurrence.lastMilliseconds - other.milliseconds >= returningMillisecondsMin
      else { return nil }
      return step
    }
  }

  /// Returns the steps that enough subjects have, in order, with rare ones after the goal that are named like good ends.
  ///
  /// If there are more steps than a definition may have, those with the most subjects are returned.
  func steps(of counts: Counts) -> [InferredFlow.Step] {
    let frequent = steps(of: counts, with: [])
    guard goal == nil, let last = frequent.last, !StepMeaning.isGoodEnd(last.id) else { return frequent }
    // Few people buy. Without them, the step before the purchase would count as completion.
    let goodEnds = rareSteps(of: counts, after: frequent).filter { StepMeaning.isGoodEnd($0.id) }
    return goodEnds.isEmpty ? frequent : steps(of: counts, with: goodEnds)
  }

  /// Returns the steps that too few subjects have, but nearly only such as had all required steps and the goal before.
  func rareSteps(of counts: Counts, after steps: [InferredFlow.Step]) -> [InferredStep] {
    let drafted = Set(steps.map(\.step))
    let rare = Set(
      counts.positions.keys.filter { counts.share($0) < shareMin && !drafted.contains($0) && StepMeaning($0) == .regular })
    let required = Set(steps.filter { !$0.isOptional }.map(\.step))
    guard !rare.isEmpty, !required.isEmpty else { return [] }
    var lateCounts: [InferredStep: Int] = [:]
    for order in counts.orders {
      var missing = required
      for step in order {
        missing.remove(step)
        if missing.isEmpty, rare.contains(step) { lateCounts[step, default: 0] += 1 }
      }
    }
    return lateCounts.filter { step, lateCount in
      Double(lateCount) >= StepPaths.requiredShareMin * Double(counts.positions[step]?.count ?? 0)
    }.keys.sorted()
  }

  /// Returns the steps that enough subjects have, in order, and some rare ones, of which one is the goal.
  private func steps(of counts: Counts, with rare: [InferredStep]) -> [InferredFlow.Step] {
    var found: [InferredFlow.Step] = counts.positions.compactMap { step, positions in
      guard counts.share(step) >= shareMin || step.id == goal || rare.contains(step) else { return nil }
      return InferredFlow.Step(step: step, subjects: positions.count, position: Self.median(positions), isOptional: false)
    }
    if found.count > Limits.flowStepsMax {
      found.sort {
        let isFirstKept = isGoal($0) || rare.contains($0.step)
        let isSecondKept = isGoal($1) || rare.contains($1.step)
        return isFirstKept != isSecondKept
          ? isFirstKept : ($1.subjects, $0.position, $0.step) < ($0.subjects, $1.position, $1.step)
      }
      found.removeSubrange(Limits.flowStepsMax...)
    }
    // The mean orders steps with equal medians.
    let means = counts.positions.mapValues { Double($0.reduce(0, +)) / Double($0.count) }
    found.sort { ($0.position, means[$0.step] ?? 0, $0.step) < ($1.position, means[$1.step] ?? 0, $1.step) }
    guard !found.isEmpty else { return [] }
    let paths = StepPaths(counts.orders, steps: found.map(\.step))
    let ends = Set(found.indices.filter { rare.contains(found[$0].step) })
    var goalIndex = paths.goal(among: ends.isEmpty ? goalCandidates(of: found, paths) : ends)
    if goal == nil, ends.isEmpty { goalIndex = closingStep(of: found, after: goalIndex, counts, paths) ?? goalIndex }
    found.append(found.remove(at: goalIndex))
    let sorted = StepPaths(counts.orders, steps: found.map(\.step))
    // Those who reach the goal are counted from it, however few they are.
    for index in found.indices.dropLast() {
      found[index].isOptional = found[index].meaning == .leaving || !sorted.isRequired(index)
      found[index].skippedShare = sorted.skippedShare(index)
    }
    return found
  }

  /// Returns whether a step is the goal that the user names.
  private func isGoal(_ step: InferredFlow.Step) -> Bool { step.id == goal }

  /// Returns the indices of the steps that may be the goal: the one that the user names, else those whose names say nothing against it,
  /// unless there is only one of these.
  private func goalCandidates(of steps: [InferredFlow.Step], _ paths: StepPaths) -> Set<Int> {
    let named = steps.indices.filter { isGoal(steps[$0]) }
    if !named.isEmpty { return Set(named) }
    let regular = Set(steps.indices.filter { steps[$0].meaning == .regular })
    let visiting = Set(steps.indices.filter { steps[$0].meaning == .visiting })
    if regular.count > 1 {
      // The `open` of a ticket comes after all else. Somebody who opens an app may have done nothing else before.
      let single = withoutRepeating(regular, of: steps)
      let goal = paths.goal(among: single)
      return single.union(visiting.filter { StepMeaning.isAmbiguousVisit(steps[$0].id) && paths.follows($0, goal) })
    }
    // With one step alone, everybody would complete. It is the goal if a visit comes before it.
    if let only = regular.first, !visiting.isEmpty {
      let both = regular.union(visiting)
      return paths.comesFirst(only, among: both) ? both : regular
    }
    let staying = steps.indices.filter { steps[$0].meaning != .leaving }
    return Set(staying.isEmpty ? Array(steps.indices) : staying)
  }

  /// The minimum share of the subjects with a step that must have it repeatedly, so that it may not be what a flow is for.
  static let repeatingShareMin = 0.5

  /// Whether a step comes again and again, such as `feature_used` or `scroll`.
  func isRepeating(_ step: InferredStep) -> Bool {
    let reachedCount = whole.positions[step]?.count ?? 0
    return reachedCount > 0 && Double(repeatingCounts[step] ?? 0) >= Self.repeatingShareMin * Double(reachedCount)
  }

  /// Returns the steps that may be the goal: if one that comes once is named like a good end, those that come again and again are not.
  private func withoutRepeating(_ candidates: Set<Int>, of steps: [InferredFlow.Step]) -> Set<Int> {
    let ends = candidates.filter { StepMeaning.isGoodEnd(steps[$0].id) }
    guard ends.contains(where: { !isRepeating(steps[$0].step) }) else { return candidates }
    return candidates.filter { ends.contains($0) || !isRepeating(steps[$0].step) }
  }

  /// Returns the ranges of app versions with equal steps, in order. If the steps never differ, the one range is empty.
  func segments() -> [Segment] {
    var segments: [(first: String, counts: Counts)] = []
    for (_, text, counts) in byVersion {
      if let last = segments.last, counts.subjects < Self.subjectsOfVersionMin || !differ(last.counts, counts) {
        segments[segments.count - 1].counts.add(counts)
      } else {
        segments.append((text, counts))
      }
    }
    guard segments.count > 1 else { return [Segment(range: "", counts: whole)] }
    return segments.indices.map { index in
      let from = index == 0 ? "" : ">=\(segments[index].first)"
      let to = index + 1 == segments.count ? "" : "<\(segments[index + 1].first)"
      return Segment(range: [from, to].filter { !$0.isEmpty }.joined(separator: " "), counts: segments[index].counts)
    }
  }

  /// Whether one of two app versions has a step that the other one lacks.
  private func differ(_ first: Counts, _ second: Counts) -> Bool {
    guard first.subjects >= Self.subjectsOfVersionMin else { return false }
    // A share just above the minimum in one version and just below it in another is likely chance.
    return Set(first.positions.keys).union(second.positions.keys).contains { step in
      let shares = [first.share(step), second.share(step)].sorted()
      return shares[1] >= shareMin && shares[0] < shareMin / Self.lackingShareDivisor
    }
  }

  /// Returns the median. The median of an even number of values is the mean of the two in the middle.
  private static func median(_ positions: [Int]) -> Double {
    precondition(!positions.isEmpty, "a step has a subject")
    let sorted = positions.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? Double(sorted[middle]) : Double(sorted[middle - 1] + sorted[middle]) / 2
  }
}

extension StepStatistics.Counts {
  /// Adds a subject with its steps in order.
  fileprivate mutating func count(_ occurrences: [(step: InferredStep, milliseconds: Int64, eventCount: Int)]) {
    let order = occurrences.map(\.step)
    subjects += 1
    assert(Set(order).count == order.count, "a subject has each step once")
    for (index, step) in order.enumerated() { positions[step, default: []].append(index + 1) }
    orders.append(order)
    times.append(occurrences.map(\.milliseconds))
    for occurrence in occurrences where occurrence.eventCount == 1 { singleCounts[occurrence.step, default: 0] += 1 }
  }
}
