/// The definition of one version of an onboarding flow: its steps, permissions, outcomes and rules (specification section 6).
///
/// Definitions are read from `Schemas/flows/<app>.<flow>.v<version>.json`. Apps log the IDs and event names;
/// reports show the labels.
public struct FlowDefinition: Hashable, Sendable {
  /// The app the flow belongs to.
  public var app: String
  /// The flow's ID, unique within its app.
  public var flow: String
  /// The version, from 1.
  public var version: Int
  /// The flow's display name.
  public var title: String
  /// The conversion window, the maximum time from a group's anchor to its completion.
  public var window: TimeSpan
  /// The unit that reports count (a group).
  public var countBy: CountBy
  /// The steps in order, at least one of them required.
  public var steps: [FlowStep]
  /// The features of the app that stay locked while a permission is denied or skipped.
  public var locks: [Lock]
  /// The rules that every group must follow, and facts about the flow.
  public var rules: [FlowRule]
  /// Further events of the flow, with the schemas of their properties.
  public var events: [EventDeclaration]
  /// The ways in which a group can end the flow.
  public var outcomes: [Outcome]
  /// The events that exclude a group from the funnel if they occur between two of its steps.
  public var exclusions: [FlowExclusion] = []
  /// The conversions of events of older builds.
  public var upcasts: [Upcast]
  /// The keys whose values are versions, in addition to those of every flow (``Dimension/isVersion``).
  public var versions: [EventField] = []
  /// The time for which events and snapshots are kept, or `nil` if the definition does not limit it.
  public var retention: Retention?
  /// The builds that this version applies to, by `ctx.app_version`, or `nil` if the definition does not specify them.
  public var appVersions: VersionRange?
  /// The other flows of the app whose events this flow aggregates as well, if it declares them.
  public var fromFlows = FlowSources.flows([])

  /// A set of flows whose events another flow aggregates.
  public enum FlowSources: Hashable, Sendable {
    /// Every flow of the app (`"*"`).
    case all
    /// The flows with these IDs.
    case flows([String])

    /// Returns whether the set contains a flow.
    public func contains(_ flow: String) -> Bool {
      switch self {
      case .all: true
      case .flows(let flows): flows.contains(flow)
      }
    }
  }

  /// The unit that a report counts, called a group.
  public enum CountBy: String, Hashable, Sendable, CaseIterable {
    /// A person, identified by the subject. This is a synonym of ``subject``.
    case person
    /// A subject.
    case subject
    /// An attempt of a subject.
    case attempt
    /// A pass through the flow, from an event that enters its first required step to the next such event after
    /// the pass has ended.
    case entry
  }

  /// The features that need a permission.
  public struct Lock: Hashable, Sendable {
    /// The permission.
    public var permission: String
    /// The names of the features.
    public var features: [String]

    /// Creates a lock.
    public init(permission: String, features: [String] = []) {
      self.permission = permission
      self.features = features
    }
  }

  /// An event that the flow declares, and the schemas its properties must conform to.
  public struct EventDeclaration: Hashable, Sendable {
    /// The event's name.
    public var name: String
    /// The schemas of properties, by key.
    public var props: [String: PropertySchema]
    /// The keys of the properties that every such event must have.
    public var required: [String]
    /// Additional requirements for events of certain steps.
    public var steps: [StepProperties]

    /// Creates a declaration.
    public init(
      name: String, props: [String: PropertySchema] = [:], required: [String] = [], steps: [StepProperties] = []
    ) {
      self.name = name
      self.props = props
      self.required = required
      self.steps = steps
    }
  }

  /// The requirements for the properties of events of one step.
  public struct StepProperties: Hashable, Sendable {
    /// The step's ID.
    public var step: String
    /// The schemas of properties, by key.
    public var props: [String: PropertySchema]
    /// The keys of the properties that such an event must have.
    public var required: [String]

    /// Creates requirements.
    public init(step: String, props: [String: PropertySchema] = [:], required: [String] = []) {
      self.step = step
      self.props = props
      self.required = required
    }
  }

  /// A conversion of an event of an older build to one or several current events.
  public struct Upcast: Hashable, Sendable {
    /// The event name that the older build logged.
    public var from: String
    /// The resulting events in order, at least one.
    public var targets: [UpcastTarget]

    /// Creates an upcast to several events.
    public init(from: String, targets: [UpcastTarget]) {
      self.from = from
      self.targets = targets
    }

    /// Creates an upcast to one event.
    public init(from: String, name: String, step: UpcastValue? = nil) {
      self.init(from: from, targets: [UpcastTarget(name: name, step: step)])
    }
  }

  /// An event that results from an upcast. Fields that the target does not set keep their logged values.
  public struct UpcastTarget: Hashable, Sendable {
    /// The name of the resulting event.
    public var name: String
    /// The step of the resulting event, or `nil` to keep the logged step.
    public var step: UpcastValue?
    /// The properties to set, by key.
    public var props: [String: UpcastValue]

    /// Creates a target.
    public init(name: String, step: UpcastValue? = nil, props: [String: UpcastValue] = [:]) {
      self.name = name
      self.step = step
      self.props = props
    }
  }

  /// The source of a value that an upcast sets.
  public enum UpcastValue: Hashable, Sendable {
    /// A constant.
    case literal(PropertyValue)
    /// The value of a field of the logged event: `$props.screen`, `$ctx.build` or `$step`.
    case field(EventField)
    /// The value in a table for the value of a field of the logged event.
    case mapped(EventField, UpcastMapping)
  }

  /// A table of new values by logged value: `{"$map":"props.kind","values":{…},"else":"keep"}`.
  public struct UpcastMapping: Hashable, Sendable {
    /// The new values, by the text of the logged value (``PropertyValue/description``).
    public var values: [String: PropertyValue]
    /// The result for any other value, or `nil` to keep the logged value.
    public var otherwise: PropertyValue?

    /// Creates a table.
    public init(values: [String: PropertyValue], otherwise: PropertyValue? = nil) {
      self.values = values
      self.otherwise = otherwise
    }

    /// Returns the new value for a logged one. An absent value (null) stays absent.
    public func value(for logged: PropertyValue) -> PropertyValue {
      if logged == .null { return .null }
      return values[logged.description] ?? otherwise ?? logged
    }
  }

  /// The time for which events and snapshots are kept.
  public struct Retention: Hashable, Sendable {
    /// The time for events, or `nil` for no limit.
    public var events: TimeSpan?
    /// The time for snapshots, or `nil` for no limit.
    public var snapshots: TimeSpan?
    /// Patterns of further event names of the app to which ``events`` applies, regardless of their flow
    /// (``NamePattern``): `mood_*`.
    public var also: [String]

    /// Creates a retention.
    public init(events: TimeSpan? = nil, snapshots: TimeSpan? = nil, also: [String] = []) {
      self.events = events
      self.snapshots = snapshots
      self.also = also
    }
  }

  /// Creates a definition.
  public init(
    app: String, flow: String, version: Int, title: String, window: TimeSpan, countBy: CountBy, steps: [FlowStep] = [],
    locks: [Lock] = [], rules: [FlowRule] = [], events: [EventDeclaration] = [], outcomes: [Outcome] = [],
    upcasts: [Upcast] = [], retention: Retention? = nil
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
    self.upcasts = upcasts
    self.retention = retention
  }
}

/// A condition that a field of an event has a value.
public struct PropertyCondition: Hashable, Sendable {
  /// The field.
  public var field: EventField
  /// The required value. Null requires that the field is absent.
  public var value: PropertyValue

  /// Creates a condition.
  public init(field: EventField, value: PropertyValue) {
    self.field = field
    self.value = value
  }
}

/// A field of an event that conditions, upcasts and dimensions may refer to.
public enum EventField: Hashable, Sendable {
  /// The ID of the step.
  case step
  /// The value of a key in `props`.
  case property(String)
  /// The value of a key in `ctx`.
  case context(String)

  /// Parses `step`, `props.name` or `ctx.name`, or returns `nil` for any other text.
  public init?(_ text: some StringProtocol) {
    if text == "step" {
      self = .step
    } else if let key = Self.key(in: text, after: "props.") {
      self = .property(key)
    } else if let key = Self.key(in: text, after: "ctx.") {
      self = .context(key)
    } else {
      return nil
    }
  }

  /// Returns the text after a prefix, or `nil` if the text does not have the prefix or nothing follows it.
  private static func key(in text: some StringProtocol, after prefix: String) -> String? {
    guard text.hasPrefix(prefix), text.utf8.count > prefix.utf8.count else { return nil }
    return String(text.dropFirst(prefix.count))
  }

  /// The field as written in definitions: `step`, `props.name` or `ctx.name`.
  public var description: String {
    switch self {
    case .step: "step"
    case .property(let key): "props.\(key)"
    case .context(let key): "ctx.\(key)"
    }
  }
}

extension FlowDefinition {
  /// The reference to this version, such as `cleaner/permissions_flow@1`.
  public var reference: String { "\(app)/\(flow)@\(version)" }

  /// The indices of the required steps, in order.
  public var requiredSteps: [Int] { steps.indices.filter { !steps[$0].isOptional } }

  /// The permissions of the flow in order of first use, each with the index of the first step that asks for it.
  public var permissions: [(name: String, step: Int)] {
    var seen: Set<String> = []
    var result: [(name: String, step: Int)] = []
    for (index, step) in steps.enumerated() {
      var names = step.asks
      if case .permission(let name) = step.kind { names.insert(name, at: 0) }
      for name in names where seen.insert(name).inserted { result.append((name, index)) }
    }
    return result
  }
}
