/// One version of one onboarding flow: its steps and everything that is known about them (specification section 6).
///
/// A definition is data, read from `Schemas/flows/<app>.<flow>.v<version>.json`. Reports show its labels; the app logs its ids and event
/// names.
public struct FlowDefinition: Hashable, Sendable {
  /// The app the flow belongs to.
  public var app: String
  /// The flow's id, unique within its app.
  public var flow: String
  /// The version, from 1.
  public var version: Int
  /// The flow's display name.
  public var title: String
  /// The conversion window: how long after its anchor a group may complete.
  public var window: TimeSpan
  /// The unit that is counted once: a subject, or each attempt of a subject.
  public var countBy: CountBy
  /// The steps in order, at least one of them required.
  public var steps: [FlowStep]
  /// Features of the app that stay locked while a permission is denied or skipped.
  public var locks: [Lock]
  /// The rules that every run through the flow must follow, and facts about the flow.
  public var rules: [FlowRule]
  /// Further events of the flow, with the schemas of their properties.
  public var events: [EventDeclaration]
  /// The ways in which a run can end.
  public var outcomes: [Outcome]
  /// The events that exclude a group from the funnel if they occur between two of its steps.
  public var exclusions: [FlowExclusion] = []
  /// The upcasts by which events of older builds are read.
  public var upcasts: [Upcast]
  /// The keys whose values are versions, besides those that always are (``Dimension/isVersion``).
  public var versions: [EventField] = []
  /// How long events and snapshots are kept, or nil if the definition does not limit it.
  public var retention: Retention?
  /// The builds this version applies to, by `ctx.app_version`, or nil if the definition does not specify them.
  public var appVersions: VersionRange?
  /// The other flows of the app whose events this flow folds as well, if it declares them.
  public var fromFlows = FlowSources.flows([])

  /// The flows whose events another flow folds.
  public enum FlowSources: Hashable, Sendable {
    /// `"*"`: every flow of the app.
    case all
    case flows([String])

    /// Returns whether events that name a given flow are folded.
    public func contains(_ flow: String) -> Bool {
      switch self {
      case .all: true
      case .flows(let flows): flows.contains(flow)
      }
    }
  }

  /// The unit that a report counts once.
  public enum CountBy: String, Hashable, Sendable, CaseIterable {
    /// Each person. A person is a subject.
    case person
    case subject
    case attempt
    /// Each pass through the flow, from an event that enters its first required step to the next such event after it has ended.
    case entry
  }

  /// The features that need a permission.
  public struct Lock: Hashable, Sendable {
    public var permission: String
    public var features: [String]

    public init(permission: String, features: [String] = []) {
      self.permission = permission
      self.features = features
    }
  }

  /// An event that the flow declares, and the schemas its properties must conform to.
  public struct EventDeclaration: Hashable, Sendable {
    public var name: String
    public var props: [String: PropertySchema]
    /// The properties that every such event must have.
    public var required: [String]
    /// The additional requirements for those of the events that name a step.
    public var steps: [StepProperties]

    public init(
      name: String, props: [String: PropertySchema] = [:], required: [String] = [], steps: [StepProperties] = []
    ) {
      self.name = name
      self.props = props
      self.required = required
      self.steps = steps
    }
  }

  /// The properties that the events of one step must have.
  public struct StepProperties: Hashable, Sendable {
    /// The step's id.
    public var step: String
    public var props: [String: PropertySchema]
    public var required: [String]

    public init(step: String, props: [String: PropertySchema] = [:], required: [String] = []) {
      self.step = step
      self.props = props
      self.required = required
    }
  }

  /// The reading of an event of an older build as one or several of today's events.
  public struct Upcast: Hashable, Sendable {
    /// The event name that the older build logged.
    public var from: String
    /// The events that it is read as, in this order, at least one.
    public var targets: [UpcastTarget]

    public init(from: String, targets: [UpcastTarget]) {
      self.from = from
      self.targets = targets
    }

    public init(from: String, name: String, step: UpcastValue? = nil) {
      self.init(from: from, targets: [UpcastTarget(name: name, step: step)])
    }
  }

  /// An event that an older one is read as. Fields that the target does not set keep their logged values.
  public struct UpcastTarget: Hashable, Sendable {
    /// The name of the resulting event.
    public var name: String
    /// The step of the resulting event, or nil to keep the logged step.
    public var step: UpcastValue?
    /// The properties that are set, in addition to the logged ones.
    public var props: [String: UpcastValue]

    public init(name: String, step: UpcastValue? = nil, props: [String: UpcastValue] = [:]) {
      self.name = name
      self.step = step
      self.props = props
    }
  }

  /// A value that an upcast fills in.
  public enum UpcastValue: Hashable, Sendable {
    case literal(PropertyValue)
    /// The value of another field of the event: `$props.screen`, `$ctx.build` or `$step`.
    case field(EventField)
    /// The value that a table assigns to the value of another field.
    case mapped(EventField, UpcastMapping)
  }

  /// A table of new values by logged value: `{"$map":"props.kind","values":{…},"else":"keep"}`.
  public struct UpcastMapping: Hashable, Sendable {
    /// The new values, by the text of the logged value as a person writes it.
    public var values: [String: PropertyValue]
    /// The result for any other value, or nil to keep the logged value.
    public var otherwise: PropertyValue?

    public init(values: [String: PropertyValue], otherwise: PropertyValue? = nil) {
      self.values = values
      self.otherwise = otherwise
    }

    /// Returns the new value for a logged one. An absent value (null) stays absent.
    public func value(for logged: PropertyValue) -> PropertyValue {
      if logged != .null, let value = values[logged.description] { return value }
      return logged == .null ? .null : otherwise ?? logged
    }
  }

  /// How long events and snapshots are kept.
  public struct Retention: Hashable, Sendable {
    public var events: TimeSpan?
    public var snapshots: TimeSpan?
    /// Names of further events of the app that are kept as long as ``events``, whatever flow they belong to, if any. A name may
    /// contain `*` (any characters, or none) and `?` (one character): `mood_*`.
    public var also: [String]

    public init(events: TimeSpan? = nil, snapshots: TimeSpan? = nil, also: [String] = []) {
      self.events = events
      self.snapshots = snapshots
      self.also = also
    }
  }

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

/// A field of an event and the value it must have.
public struct PropertyCondition: Hashable, Sendable {
  public var field: EventField
  public var value: PropertyValue

  public init(field: EventField, value: PropertyValue) {
    self.field = field
    self.value = value
  }
}

/// A field of an event that conditions, upcasts and dimensions may refer to.
public enum EventField: Hashable, Sendable {
  case step
  case property(String)
  case context(String)

  /// Parses `step`, `props.name` or `ctx.name`; returns nil for any other text.
  public init?(_ text: some StringProtocol) {
    if text == "step" {
      self = .step
    } else if text.hasPrefix("props."), text.utf8.count > 6 {
      self = .property(String(text.dropFirst(6)))
    } else if text.hasPrefix("ctx."), text.utf8.count > 4 {
      self = .context(String(text.dropFirst(4)))
    } else {
      return nil
    }
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
