public import FunnelModel

/// A flow drafted from events: its versions, and the evidence for each step.
///
/// Steps are the ids of `step_viewed`, else the names of events, that enough subjects have, in the order of their median place among a
/// subject's first occurrences. Permissions are steps where one of their events first occurs. Builds whose steps differ are versions.
public struct InferredFlow: Sendable {
  /// What a draft is made of.
  public struct Options: Sendable {
    /// The app; nil for the only one that has events.
    public var app: String?
    /// The flow; nil for the one that events name, or `onboarding`.
    public var flow: String?
    /// The least share of subjects that must have a step.
    public var shareMin = 0.05

    public init() {}
  }

  /// A step of a version, with its evidence.
  public struct Step: Hashable, Sendable {
    let step: InferredStep
    /// The number of subjects that have it.
    public var subjects: Int
    /// The median of its place among a subject's first occurrences, from 1.
    public var place: Double
    public var isOptional: Bool

    /// The step's id.
    public var id: String { step.id }
  }

  /// One version of the flow.
  public struct Version: Hashable, Sendable {
    public var number: Int
    /// The builds it is of, as a definition has them; nil for all.
    public var appVersions: String?
    /// The number of subjects.
    public var subjects: Int
    public var steps: [Step]
  }

  public let app: String
  public let flow: String
  public private(set) var versions: [Version] = []
  /// Events that look like answers to permissions under other names, by their name.
  let renamed: [String: PermissionNames.Meaning]
  /// What was left out or assumed, as sentences.
  public private(set) var remarks: [String] = []

  /// Drafts a flow.
  ///
  /// - Throws: `noInput` if there are no events of the app; `usage` if several apps have events and none is named.
  public init(_ statistics: OccurrenceStatistics, options: Options) throws(FunnelError) {
    let scope = try InferenceScope(statistics, options: options)
    (app, flow) = (scope.app, scope.flow)
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
  static func text(_ share: Double) -> String {
    let tenths = Int((share * 1000).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
  }
}
