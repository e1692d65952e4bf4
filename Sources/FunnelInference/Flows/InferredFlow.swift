import FunnelDecoding
import FunnelIngest
package import FunnelModel

/// A flow definition inferred from events: its versions, and the evidence for each step.
///
/// The steps are the IDs of `step_viewed` that enough subjects have, or the names of events if there are no such IDs.
/// Permissions are steps too. Steps are sorted by their median position in the sequence of a subject's first occurrences.
/// App versions with different steps become versions of the flow.
package struct InferredFlow: Sendable {
  /// The options of the inference.
  package struct Options: Sendable {
    /// The app, or `nil` for the only app with events.
    package var app: String?
    /// The flow, or `nil` for the flow with the most events, or `onboarding` if no event names a flow.
    package var flow: String?
    /// The minimum share of subjects that must have a step, from 0 to 1.
    package var shareMin = 0.05
    /// The names that the input has for events whose native names lost letters or end in a hash, by the native names. They become labels.
    package var originals: [String: String] = [:]
    /// The ID of the step that is the goal, or `nil` to infer it.
    package var goal: String?

    package init() {}
  }

  /// A step of a version, with its evidence.
  package struct Step: Hashable, Sendable {
    let step: InferredStep
    /// The number of subjects that have the step.
    package var subjects: Int
    /// The median of its position in the sequence of a subject's first occurrences, from 1.
    package var position: Double
    /// Whether the step is optional.
    package var isOptional: Bool
    /// The share of those who reached a later step that had not had this step before.
    var skippedShare = 0.0

    /// The ID of the step.
    package var id: String { step.id }
    /// The meaning of the step, by its name.
    var meaning: StepMeaning { StepMeaning(step) }
  }

  /// One version of the flow.
  package struct Version: Hashable, Sendable {
    /// The number of the version, from 1.
    package var number: Int
    /// The range of app versions in the notation of a definition, or `nil` for all.
    package var appVersions: String?
    /// The number of subjects.
    package var subjects: Int
    /// The conversion window in days.
    package var windowDays: Int
    /// The steps in order.
    package var steps: [Step]
  }

  /// The app of the flow.
  package let app: String
  /// The name of the flow.
  package let flow: String
  /// The versions in the order of their app versions.
  package private(set) var versions: [Version] = []
  /// The events that look like permission events under other names, by their names.
  let renamed: [String: PermissionNames.Meaning]
  /// ``Options/originals``.
  let originals: [String: String]
  /// ``Options/goal``.
  private let goal: String?
  /// Sentences about omitted steps and assumptions.
  package private(set) var remarks: [String] = []

  /// Infers a flow from occurrence statistics.
  ///
  /// - Throws: `noInput` if there are no events of the app and the flow, or no step has enough subjects; `usage` if several
  ///   apps have events and the options name none.
  package init(_ statistics: OccurrenceStatistics, options: Options) throws(FunnelError) {
    precondition((0...1).contains(options.shareMin), "a share is between 0 and 1")
    let scope = try InferenceScope(statistics, options: options)
    app = scope.app
    flow = scope.flow
    originals = options.originals
    goal = options.goal
    remarks = scope.remarks
    if let sentence = statistics.accounts.sentence {
      remarks.append(sentence)
      remarks.append("the numbers of a draft are of subjects; a report counts the subjects of one account as one person")
    }
    if statistics.isSample {
      remarks.append(
        "there are more subjects; the draft is based on \(Quantity.count(statistics.subjects.count)) of them, chosen at random")
    }
    if statistics.skippedEvents > 0 {
      remarks.append(
        "\(Quantity.count(statistics.skippedEvents)) events were skipped: the draft is based on the first \(Quantity.count(OccurrenceStatistics.eventClassesMax)) names"
      )
    }
    let permissions = PermissionNames(scope.eventClasses.map { statistics.eventClasses[$0].name.name })
    remarks += permissions.unclear.map {
      "\($0.joined(separator: ", ")) look like answers to a prompt, but no permission is named, or a grant or a denial is missing: none is treated as an answer"
    }
    let stepStatistics = StepStatistics(
      statistics, scope: scope, permissions: permissions, shareMin: options.shareMin, goal: options.goal)
    if let goal { try Self.require(goal, in: stepStatistics) }
    let used = Set(stepStatistics.whole.shares.keys)
    renamed = permissions.interpretations.filter { name, meaning in
      name != meaning.name && used.contains(.permission(meaning.permission))
    }
    let segments = stepStatistics.segments()
    for (index, segment) in segments.enumerated() {
      versions.append(
        Version(
          number: index + 1, appVersions: segments.count > 1 ? segment.range : nil, subjects: segment.counts.subjects,
          windowDays: stepStatistics.windowDays(of: segment.counts), steps: stepStatistics.steps(of: segment.counts)))
      remarks += stepStatistics.surplusSteps(of: segment.counts)
      remarks += stepStatistics.windowRemarks(of: segment.counts)
      remarks += stepStatistics.wholeCompletion(of: segment.counts)
    }
    remarks += segments.flatMap { stepStatistics.entranceRemarks(of: $0.counts) }
    remarks += stepStatistics.unorderedRemarks(of: segments)
    remarks += stepStatistics.eitherOrderRemarks(of: segments)
    remarks += stepStatistics.alternatives(of: segments)
    remarks += stepStatistics.meaningRemarks(of: segments)
    remarks += stepStatistics.endingRemarks(of: segments)
    remarks += stepStatistics.rareSteps(of: segments)
    guard versions.contains(where: { $0.steps.contains { !$0.isOptional } }) else {
      throw FunnelError(
        .noInput,
        "no step is reached by \(PercentText.text(options.shareMin)) of the subjects of \(app), log step_viewed, or lower --min-share"
      )
    }
  }
}

extension InferredFlow {
  /// Throws `usage` if no subject has the step that is named as the goal.
  private static func require(_ goal: String, in statistics: StepStatistics) throws(FunnelError) {
    let ids = Set(statistics.whole.positions.keys.map(\.id)).sorted()
    guard !ids.contains(goal) else { return }
    let meant = NearestName.find(goal, in: ids).map { "did you mean \($0)?" }
    throw FunnelError(.usage, "no step \(goal.printable), given with --goal, \(meant ?? "name a step of the draft")")
  }

  /// The minimum share of subjects with the first required step. Below it, the events have no common order.
  private static let enteringShareMin = 0.25

  /// Returns the reason, as a clause, why a step of a meaning is hardly the goal, or `nil` if there is none.
  private static func objection(to meaning: StepMeaning) -> String? {
    switch meaning {
    case .undoing: "undoes something"
    case .failing: "reads as a failure or a refusal"
    case .regular, .visiting, .leaving: nil
    }
  }

  /// The decision that the draft needs from the user, as a sentence, or `nil` if it needs none.
  package var decision: String? {
    for version in versions {
      if let last = version.steps.last, let clause = Self.objection(to: last.meaning), last.id != goal, version.steps.count > 1
      {
        return
          "the goal is \(last.id), which \(clause), because no other step can be it: name the goal with --goal, "
          + "or name the steps with 'funnel report funnel --steps A,B,C'"
      }
      if version.steps.count == 1, let only = version.steps.first {
        return
          "the draft has one step, \(only.id), so whoever enters completes: lower --min-share, or name the steps with "
          + "'funnel report funnel --steps A,B,C'"
      }
      let required = version.steps.filter { !$0.isOptional }
      if required.count == 1, version.steps.count > 1 {
        return
          "every step before \(required[0].id) is optional, so whoever enters completes: remove \"optional\" from the steps that matter, "
          + "or name them with 'funnel report funnel --steps A,B,C'"
      }
      guard let first = version.steps.first(where: { !$0.isOptional }),
        Double(first.subjects) < Self.enteringShareMin * Double(version.subjects)
      else { continue }
      return
        "the events of \(app) have no common order: only \(Quantity.count(first.subjects)) of \(Quantity.count(version.subjects)) subjects have the first required step, \(first.id), "
        + "keep the lines of the steps that matter, or name these with 'funnel report funnel --steps A,B,C'"
    }
    return nil
  }
}

/// Formats shares for sentences.
enum PercentText {
  /// Returns a share as a percentage with at most one decimal: `12.5 %`.
  static func text(_ share: Double) -> String {
    // Only a whole is 100 %, and only nothing is 0 %.
    let tenths = share > 0 && share < 1 ? min(max(Int((share * 1000).rounded()), 1), 999) : Int((share * 1000).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
  }
}

/// A candidate for a step of an inferred flow.
enum InferredStep: Hashable, Comparable, Sendable {
  /// A screen, by the step ID of its `step_viewed` events.
  case screen(String)
  /// An event, by its name.
  case event(String)
  /// A permission.
  case permission(String)

  /// The ID of the step.
  var id: String {
    switch self {
    case .screen(let id), .event(let id), .permission(let id): id
    }
  }

  /// The ID as a human-readable label: `First note` for `first_note`.
  var label: String { Self.label(of: id) }

  /// Returns an ID as a human-readable label.
  static func label(of id: String) -> String {
    let words = id.split(separator: "_").joined(separator: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }

  /// The rank among steps with the same ID.
  private var rank: Int {
    switch self {
    case .screen: 0
    case .event: 1
    case .permission: 2
    }
  }

  static func < (lhs: InferredStep, rhs: InferredStep) -> Bool { (lhs.id, lhs.rank) < (rhs.id, rhs.rank) }
}
