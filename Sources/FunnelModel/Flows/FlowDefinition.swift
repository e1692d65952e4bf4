/// The definition of one version of an onboarding flow: its steps, permissions, outcomes and rules (specification section 6).
///
/// Definitions are read from `Schemas/flows/<app>.<flow>.v<version>.json`. Apps log the IDs and event names;
/// reports show the labels.
package struct FlowDefinition: Hashable, Sendable {
  /// The app the flow belongs to.
  package var app: String
  /// The flow's ID, unique within its app.
  package var flow: String
  /// The version, from 1.
  package var version: Int
  /// The flow's display name.
  package var title: String
  /// The conversion window, the maximum time from a group's anchor to its completion.
  package var window: TimeSpan
  /// The unit that reports count (a group).
  package var countBy: CountBy
  /// The steps in order, at least one of them required.
  package var steps: [FlowStep]
  /// The features of the app that stay locked while a permission is denied or skipped.
  package var locks: [Lock]
  /// The rules that every group must follow, and facts about the flow.
  package var rules: [FlowRule]
  /// Further events of the flow, with the schemas of their properties.
  package var events: [EventDeclaration]
  /// The ways in which a group can end the flow.
  package var outcomes: [Outcome]
  /// The events that exclude a group from the funnel if they occur between two of its steps.
  package var exclusions: [FlowExclusion]
  /// The conversions of events of older builds.
  package var upcasts: [Upcast]
  /// The keys whose values are versions, in addition to those of every flow (``Dimension/isVersion``).
  package var versions: [EventField]
  /// The time for which events and snapshots are kept, or `nil` if the definition does not limit it.
  package var retention: Retention?
  /// The builds that this version applies to, by `ctx.app_version`, or `nil` if the definition does not specify them.
  package var appVersions: VersionRange?
  /// The other flows of the app whose events this flow aggregates as well, if it declares them.
  package var fromFlows: FlowSources

  /// A set of flows whose events another flow aggregates.
  package enum FlowSources: Hashable, Sendable {
    /// Every flow of the app (`"*"`).
    case all
    /// The flows with these IDs.
    case flows([String])

    /// Returns whether the set contains a flow.
    package func contains(_ flow: String) -> Bool {
      switch self {
      case .all: true
      case .flows(let flows): flows.contains(flow)
      }
    }
  }

  /// The unit that a report counts, called a group.
  package enum CountBy: String, Hashable, Sendable, CaseIterable {
    /// A person: a user with all its subjects, or a subject without a user (specification section 13).
    case person
    /// A subject, such as a device.
    case subject
    /// An attempt of a subject.
    case attempt
    /// A pass through the flow, from an event that enters its first required step to the next such event after
    /// the pass has ended. The passes of a person with several subjects are its own.
    case entry

    /// Whether the events of a person's subjects are counted together.
    package var isOfPersons: Bool {
      switch self {
      case .person, .entry: true
      case .subject, .attempt: false
      }
    }
  }

  package init(
    app: String, flow: String, version: Int, title: String, window: TimeSpan, countBy: CountBy, steps: [FlowStep] = [],
    locks: [Lock] = [], rules: [FlowRule] = [], events: [EventDeclaration] = [], outcomes: [Outcome] = [],
    exclusions: [FlowExclusion] = [], upcasts: [Upcast] = [], versions: [EventField] = [], retention: Retention? = nil,
    appVersions: VersionRange? = nil, fromFlows: FlowSources = .flows([])
  ) {
    self.app = app
    self.flow = flow
    self.version = version
    self.title = title
    self.window = window
    self.countBy = countBy
    self.steps = steps
    self.locks = locks
    self.rules = rules
    self.events = events
    self.outcomes = outcomes
    self.exclusions = exclusions
    self.upcasts = upcasts
    self.versions = versions
    self.retention = retention
    self.appVersions = appVersions
    self.fromFlows = fromFlows
  }
}

extension FlowDefinition {
  /// The reference to this version, such as `cleaner/permissions_flow@1`.
  package var reference: String { "\(app)/\(flow)@\(version)" }

  /// The indices of the required steps, in order.
  package var requiredSteps: [Int] { steps.indices.filter { !steps[$0].isOptional } }

  /// Whether everybody who enters the flow completes it at once: only one of several steps is required, and no outcome is success.
  package var completesAtOnce: Bool { steps.count > 1 && requiredSteps.count == 1 && outcomes.isEmpty }

  /// The permissions of the flow in order of first use, each with the index of the first step that asks for it.
  package var permissions: [(name: String, step: Int)] {
    var seen: Set<String> = []
    var result: [(name: String, step: Int)] = []
    for (index, step) in steps.enumerated() {
      for name in step.permissions where seen.insert(name).inserted { result.append((name, index)) }
    }
    return result
  }
}
