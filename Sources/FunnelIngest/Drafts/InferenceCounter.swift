import FunnelModel

/// Counts which steps the subjects of a census have, in which order, by build.
struct InferenceCounter {
  /// The counts of some subjects.
  struct Counts {
    var subjects = 0
    /// The places of each step among the first occurrences of the subjects that have it.
    var places: [InferredStep: [Int]] = [:]

    mutating func add(_ other: Counts) {
      subjects += other.subjects
      places.merge(other.places, uniquingKeysWith: +)
    }

    func share(_ step: InferredStep) -> Double { subjects == 0 ? 0 : Double(places[step]?.count ?? 0) / Double(subjects) }

    /// The share of subjects that have each step.
    var shares: [InferredStep: Double] { places.mapValues { Double($0.count) / Double(max(subjects, 1)) } }
  }

  /// Successive builds with the same steps.
  struct Segment {
    /// The builds as a definition has them: `>=2.0 <3.1`.
    var range: String
    var counts: Counts
  }

  /// The least number of subjects of a build that tell anything about its steps.
  private static let subjectsOfBuildMin = 20

  private let shareMin: Double
  /// The counts of all subjects.
  private(set) var whole = Counts()
  private var byVersion: [(version: DottedVersion, text: String, counts: Counts)] = []

  init(_ statistics: OccurrenceStatistics, scope: InferenceScope, permissions: PermissionNames, shareMin: Double) {
    self.shareMin = shareMin
    let steps = Self.steps(of: statistics, scope, permissions)
    var counts: [Int: Counts] = [:]
    for subject in statistics.subjects {
      let order = Self.order(of: subject, steps)
      guard subject.occurrences.contains(where: { scope.kinds.contains($0.kind) }) else { continue }
      whole.count(order)
      if let version = subject.appVersion { counts[version, default: Counts()].count(order) }
    }
    byVersion = counts.compactMap { number, counts in
      let text = statistics.appVersions[number]
      return DottedVersion(text).map { ($0, text, counts) }
    }.sorted { $0.version < $1.version }
  }

  /// Returns the step that each kind of event stands for: screens if there are any, else events by their names.
  private static func steps(
    of statistics: OccurrenceStatistics, _ scope: InferenceScope, _ permissions: PermissionNames
  ) -> [Int: InferredStep] {
    let hasScreens = scope.kinds.contains { statistics.kinds[$0].name.name == StepEventName.viewed.rawValue }
    var steps: [Int: InferredStep] = [:]
    for kind in scope.kinds {
      let name = statistics.kinds[kind].name
      if let meaning = permissions.meanings[name.name] {
        steps[kind] = .permission(meaning.permission)
      } else if hasScreens {
        if name.name == StepEventName.viewed.rawValue, let step = name.step { steps[kind] = .screen(step) }
      } else if !StepEventName.isAboutStep(name.name), !name.name.hasPrefix(PermissionEventName.prefix) {
        steps[kind] = .event(name.name)
      }
    }
    return steps
  }

  /// Returns a subject's steps in the order of their first occurrences; those of one moment in the order of their ids.
  private static func order(of subject: OccurrenceStatistics.Subject, _ steps: [Int: InferredStep]) -> [InferredStep] {
    var first: [InferredStep: Int64] = [:]
    for occurrence in subject.occurrences {
      guard let step = steps[occurrence.kind] else { continue }
      first[step] = min(first[step] ?? .max, occurrence.milliseconds)
    }
    return first.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
  }

  /// Returns the steps of a version, in order; of more than a definition may have, those that most subjects have.
  func steps(of counts: Counts) -> [InferredFlow.Step] {
    var found: [InferredFlow.Step] = counts.places.compactMap { step, places in
      guard counts.share(step) >= shareMin else { return nil }
      return InferredFlow.Step(step: step, subjects: places.count, place: Self.median(places), isOptional: false)
    }
    if found.count > Limits.flowStepsMax {
      found.sort { ($1.subjects, $0.place, $0.step) < ($0.subjects, $1.place, $1.step) }
      found.removeSubrange(Limits.flowStepsMax...)
    }
    // Where medians are equal, the mean tells which step is mostly behind the other.
    let means = counts.places.mapValues { Double($0.reduce(0, +)) / Double($0.count) }
    found.sort { ($0.place, means[$0.step] ?? 0, $0.step) < ($1.place, means[$1.step] ?? 0, $1.step) }
    let entered = found.first?.subjects ?? 0
    for index in found.indices.dropFirst() { found[index].isOptional = found[index].subjects * 2 < entered }
    return found
  }

  /// Returns the builds with equal steps, in order; one segment if the steps never differ.
  func segments() -> [Segment] {
    var segments: [(first: String, counts: Counts)] = []
    for (_, text, counts) in byVersion {
      if let last = segments.last, counts.subjects < Self.subjectsOfBuildMin || !differ(last.counts, counts) {
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

  /// Returns whether one of two builds has a step that the other one lacks. A step just above the least share in one and just below it in
  /// the other is chance, so a build lacks it only far below.
  private func differ(_ first: Counts, _ second: Counts) -> Bool {
    guard first.subjects >= Self.subjectsOfBuildMin else { return false }
    return Set(first.places.keys).union(second.places.keys).contains { step in
      let shares = [first.share(step), second.share(step)].sorted()
      return shares[1] >= shareMin && shares[0] < shareMin / 5
    }
  }

  /// A sentence about steps for which a definition has no room, if there are such.
  func surplusSteps(of counts: Counts) -> [String] {
    let kept = Set(steps(of: counts).map(\.step))
    let surplus = counts.places.keys.filter { counts.share($0) >= shareMin && !kept.contains($0) }.sorted()
    guard !surplus.isEmpty else { return [] }
    return [
      "left out, as a definition has at most \(Limits.flowStepsMax) steps, and these are the rarest: \(Self.list(surplus.map(\.id)))"
    ]
  }

  /// Sentences about steps that too few subjects have.
  var rareSteps: [String] {
    let rare = whole.places.filter { whole.share($0.key) < shareMin }.sorted { $0.key < $1.key }
    guard !rare.isEmpty else { return [] }
    let texts = rare.map { "\($0.key.id) (\($0.value.count))" }
    return ["left out, as fewer than \(PercentText.text(shareMin)) of the subjects have them: \(Self.list(texts))"]
  }

  private static func list(_ texts: [String]) -> String {
    texts.prefix(10).joined(separator: ", ") + (texts.count > 10 ? " and \(texts.count - 10) more" : "")
  }

  /// Returns the median, the mean of the two in the middle if there are two.
  private static func median(_ places: [Int]) -> Double {
    let sorted = places.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? Double(sorted[middle]) : Double(sorted[middle - 1] + sorted[middle]) / 2
  }
}

extension InferenceCounter.Counts {
  /// Counts a subject with its steps in order.
  fileprivate mutating func count(_ order: [InferredStep]) {
    subjects += 1
    for (index, step) in order.enumerated() { places[step, default: []].append(index + 1) }
  }
}
