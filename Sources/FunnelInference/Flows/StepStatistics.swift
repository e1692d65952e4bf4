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

    /// Adds the counts of other subjects.
    mutating func add(_ other: Counts) {
      subjects += other.subjects
      positions.merge(other.positions, uniquingKeysWith: +)
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

  /// Returns the steps of a subject in the order of their first occurrences, and of their IDs for the same time.
  private static func order(of subject: OccurrenceStatistics.Subject, _ steps: [Int: InferredStep]) -> [InferredStep] {
    var first: [InferredStep: Int64] = [:]
    for occurrence in subject.occurrences {
      guard let step = steps[occurrence.eventClass] else { continue }
      first[step] = min(first[step] ?? .max, occurrence.milliseconds)
    }
    return first.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
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
    // A later step is optional if fewer than half of those who entered the flow have it.
    let entered = found.first?.subjects ?? 0
    for index in found.indices.dropFirst() { found[index].isOptional = found[index].subjects * 2 < entered }
    return found
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
  fileprivate mutating func count(_ order: [InferredStep]) {
    subjects += 1
    assert(Set(order).count == order.count, "a subject has each step once")
    for (index, step) in order.enumerated() { positions[step, default: []].append(index + 1) }
  }
}
