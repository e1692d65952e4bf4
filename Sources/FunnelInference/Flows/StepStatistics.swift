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

    /// Adds the counts of other subjects.
    mutating func add(_ other: Counts) {
      subjects += other.subjects
      positions.merge(other.positions, uniquingKeysWith: +)
      orders += other.orders
      times += other.times
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
  /// The number of steps that a sentence lists.
  private static let listedMax = 10

  /// The minimum share of subjects that must have a step.
  private let shareMin: Double
  /// The counts of all subjects.
  private(set) var whole = Counts()
  private var byVersion: [(version: DottedVersion, text: String, counts: Counts)] = []

  /// Counts the steps of all subjects in a scope.
  init(_ statistics: OccurrenceStatistics, scope: InferenceScope, permissions: PermissionNames, shareMin: Double) {
    self.shareMin = shareMin
    let steps = Self.steps(of: statistics, scope, permissions)
    var counts: [Int: Counts] = [:]
    for subject in statistics.subjects {
      let order = Self.order(of: subject, steps)
      guard subject.occurrences.contains(where: { scope.eventClasses.contains($0.eventClass) }) else { continue }
      whole.count(order)
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

  /// Returns the steps of a subject in the order of their first occurrences, each with its time in milliseconds.
  private static func order(
    of subject: OccurrenceStatistics.Subject, _ steps: [Int: InferredStep]
  ) -> [(step: InferredStep, milliseconds: Int64)] {
    var first: [InferredStep: OccurrenceStatistics.Moment] = [:]
    for occurrence in subject.occurrences {
      guard let step = steps[occurrence.eventClass] else { continue }
      first[step] = first[step].map { min($0, occurrence.moment) } ?? occurrence.moment
    }
    return first.sorted { $0.value < $1.value }.map { ($0.key, $0.value.milliseconds) }
  }

  /// Returns the steps that enough subjects have, in order.
  ///
  /// If there are more steps than a definition may have, those with the most subjects are returned.
  func steps(of counts: Counts) -> [InferredFlow.Step] {
    var found: [InferredFlow.Step] = counts.positions.compactMap { step, positions in
      guard counts.share(step) >= shareMin else { return nil }
      return InferredFlow.Step(step: step, subjects: positions.count, position: Self.median(positions), isOptional: false)
    }
    if found.count > Limits.flowStepsMax {
      found.sort { ($1.subjects, $0.position, $0.step) < ($0.subjects, $1.position, $1.step) }
      found.removeSubrange(Limits.flowStepsMax...)
    }
    // The mean orders steps with equal medians.
    let means = counts.positions.mapValues { Double($0.reduce(0, +)) / Double($0.count) }
    found.sort { ($0.position, means[$0.step] ?? 0, $0.step) < ($1.position, means[$1.step] ?? 0, $1.step) }
    guard !found.isEmpty else { return [] }
    let paths = StepPaths(counts.orders, steps: found.map(\.step))
    found.append(found.remove(at: paths.goal))
    let sorted = StepPaths(counts.orders, steps: found.map(\.step))
    // Those who reach the goal are counted from it, however few they are.
    for index in found.indices.dropLast() { found[index].isOptional = !sorted.isRequired(index) }
    return found
  }

  /// Returns sentences about steps that may be alternatives of one step.
  func alternatives(of counts: Counts) -> [String] {
    let steps = steps(of: counts)
    let optional = steps.indices.filter { steps[$0].isOptional }
    let paths = StepPaths(counts.orders, steps: steps.map(\.step))
    return optional.flatMap { first in
      optional.filter { $0 > first && paths.areAlternatives(first, $0) }.map { second in
        "everyone who reached a later step had \(steps[first].id) or \(steps[second].id) before: if these are alternatives, make one step of both"
      }
    }
  }

  /// The conversion windows that a draft may have, in days. The first one is usual for onboarding.
  private static let windows = [7, 14, 30, 60, 90, 180, 365]
  /// The share of completions that must be within the window.
  private static let withinShareMin = 0.95

  /// Returns the times in milliseconds from the first required step to the goal, of those who reach both in this order.
  private func spans(of counts: Counts) -> (first: String, goal: String, spans: [Int64]) {
    let steps = steps(of: counts)
    guard let first = steps.first(where: { !$0.isOptional }), let goal = steps.last else { return ("", "", []) }
    let spans = zip(counts.orders, counts.times).compactMap { order, times -> Int64? in
      guard let start = order.firstIndex(of: first.step), let end = order.firstIndex(of: goal.step), start < end else {
        return nil
      }
      return times[end] - times[start]
    }
    return (first.id, goal.id, spans)
  }

  /// Returns the number of spans that are longer than a window.
  private static func lateCount(_ spans: [Int64], days: Int) -> Int { spans.count { $0 > Int64(days) * 86_400_000 } }

  /// Returns the conversion window of a draft: the shortest one in which nearly all completions are.
  func windowDays(of counts: Counts) -> Int {
    let spans = spans(of: counts).spans
    let lateMax = (1 - Self.withinShareMin) * Double(spans.count)
    return Self.windows.first { Double(Self.lateCount(spans, days: $0)) <= lateMax } ?? Self.windows[Self.windows.count - 1]
  }

  /// Returns a sentence about the window if it is not the usual one, or no sentences.
  func windowRemarks(of counts: Counts) -> [String] {
    let (first, goal, spans) = spans(of: counts)
    let days = windowDays(of: counts)
    guard days != Self.windows[0] else { return [] }
    let late = Self.lateCount(spans, days: Self.windows[0])
    return [
      "window \(days)d: \(late) of \(spans.count) subjects who reach \(goal) do so more than \(Self.windows[0]) days after \(first)"
    ]
  }

  /// The number of subjects from which a completion of all is told.
  private static let wholeSubjectsMin = 10

  /// Returns a sentence if all who have the first required step reach the goal, beside optional steps, or no sentences.
  func wholeCompletion(of counts: Counts) -> [String] {
    let steps = steps(of: counts)
    guard let first = steps.first(where: { !$0.isOptional }), let optional = steps.first(where: { $0.isOptional }),
      first.subjects >= Self.wholeSubjectsMin
    else { return [] }
    let (firstID, goal, spans) = spans(of: counts)
    guard firstID != goal, spans.count == first.subjects else { return [] }
    return [
      "all \(first.subjects) subjects who have \(firstID) reach \(goal), so the draft converts 100 %: are optional steps such as \(optional.id) what matters?"
    ]
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

  /// Returns a sentence about the steps that exceed the maximum of a definition, or no sentences.
  func surplusSteps(of counts: Counts) -> [String] {
    let kept = Set(steps(of: counts).map(\.step))
    let surplus = counts.positions.keys.filter { counts.share($0) >= shareMin && !kept.contains($0) }.sorted()
    guard !surplus.isEmpty else { return [] }
    return [
      "left out, as a definition has at most \(Limits.flowStepsMax) steps, and these are the rarest: \(Self.list(surplus.map(\.id)))"
    ]
  }

  /// A sentence about the steps that too few subjects have, or no sentences.
  var rareSteps: [String] {
    let rare = whole.positions.filter { whole.share($0.key) < shareMin }.sorted { $0.key < $1.key }
    guard !rare.isEmpty else { return [] }
    let texts = rare.map { "\($0.key.id) (\($0.value.count))" }
    return ["left out, as fewer than \(PercentText.text(shareMin)) of the subjects have them: \(Self.list(texts))"]
  }

  /// Joins the first texts with commas, and counts the others.
  private static func list(_ texts: [String]) -> String {
    let shown = texts.prefix(listedMax).joined(separator: ", ")
    return shown + (texts.count > listedMax ? " and \(texts.count - listedMax) more" : "")
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
  fileprivate mutating func count(_ occurrences: [(step: InferredStep, milliseconds: Int64)]) {
    let order = occurrences.map(\.step)
    subjects += 1
    assert(Set(order).count == order.count, "a subject has each step once")
    for (index, step) in order.enumerated() { positions[step, default: []].append(index + 1) }
    orders.append(order)
    times.append(occurrences.map(\.milliseconds))
  }
}
