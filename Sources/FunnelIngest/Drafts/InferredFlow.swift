public import FunnelModel

/// A flow definition inferred from events: its versions, and the evidence for each step.
///
/// The steps are the IDs of `step_viewed` that enough subjects have, or the names of events if there are no such IDs.
/// Permissions are steps too. Steps are sorted by their median position in the sequence of a subject's first occurrences.
/// App versions with different steps become versions of the flow.
public struct InferredFlow: Sendable {
  /// The options of the inference.
  public struct Options: Sendable {
    /// The app, or `nil` for the only app with events.
    public var app: String?
    /// The flow, or `nil` for the flow with the most events, or `onboarding` if no event names a flow.
    public var flow: String?
    /// The minimum share of subjects that must have a step, from 0 to 1.
    public var shareMin = 0.05

    public init() {}
  }

  /// A step of a version, with its evidence.
  public struct Step: Hashable, Sendable {
    let step: InferredStep
    /// The number of subjects that have the step.
    public var subjects: Int
    /// The median of its position in the sequence of a subject's first occurrences, from 1.
    public var place: Double
    /// Whether the step is optional.
    public var isOptional: Bool

    /// The ID of the step.
    public var id: String { step.id }
  }

  /// One version of the flow.
  public struct Version: Hashable, Sendable {
    /// The number of the version, from 1.
    public var number: Int
    /// The range of app versions in the notation of a definition, or `nil` for all.
    public var appVersions: String?
    /// The number of subjects.
    public var subjects: Int
    /// The steps in order.
    public var steps: [Step]
  }

  /// The app of the flow.
  public let app: String
  /// The name of the flow.
  public let flow: String
  /// The versions in the order of their app versions.
  public private(set) var versions: [Version] = []
  /// The events that look like permission events under other names, by their names.
  let renamed: [String: PermissionNames.Meaning]
  /// Sentences about omitted steps and assumptions.
  public private(set) var remarks: [String] = []

  /// Infers a flow from occurrence statistics.
  ///
  /// - Throws: `noInput` if there are no events of the app and the flow, or no step has enough subjects; `usage` if several
  ///   apps have events and the options name none.
  public init(_ statistics: OccurrenceStatistics, options: Options) throws(FunnelError) {
    let scope = try InferenceScope(statistics, options: options)
    app = scope.app
    flow = scope.flow
    remarks = scope.remarks
    if statistics.isSample {
      remarks.append("there are more subjects; the draft is based on \(statistics.subjects.count) of them, chosen at random")
    }
    let permissions = PermissionNames(scope.kinds.map { statistics.kinds[$0].name.name })
    let counter = InferenceCounter(statistics, scope: scope, permissions: permissions, shareMin: options.shareMin)
    let used = Set(counter.whole.shares.keys)
    renamed = permissions.meanings.filter { name, meaning in
      name != meaning.name && used.contains(.permission(meaning.permission))
    }
    let segments = counter.segments()
    for (index, segment) in segments.enumerated() {
      versions.append(
        Version(
          number: index + 1, appVersions: segments.count > 1 ? segment.range : nil, subjects: segment.counts.subjects,
          steps: counter.steps(of: segment.counts)))
      remarks += counter.surplusSteps(of: segment.counts)
    }
    remarks += counter.rareSteps
    guard versions.contains(where: { $0.steps.contains { !$0.isOptional } }) else {
      throw FunnelError(
        .noInput,
        "no step is reached by \(PercentText.text(options.shareMin)) of the subjects of \(app), log step_viewed, or lower --min-share"
      )
    }
  }
}

/// Formats shares for sentences.
enum PercentText {
  /// Returns a share as a percentage with at most one decimal: `12.5 %`.
  static func text(_ share: Double) -> String {
    let tenths = Int((share * 1000).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
  }
}
