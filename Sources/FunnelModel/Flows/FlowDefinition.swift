/// One version of one onboarding flow: its steps and all that is known about them (specification section 6).
///
/// A definition is data, read from `Schemas/flows/<app>.<flow>.v<version>.json`; its labels are what people read in reports, its ids
/// and event names what the app logs.
public struct FlowDefinition: Hashable, Sendable {
  /// The app the flow belongs to.
  public var app: String
  /// The flow's id, unique within its app.
  public var flow: String
  /// The version, from 1.
  public var version: Int
  /// What people call the flow.
  public var title: String
  /// How long after its anchor a group may take.
  public var window: TimeSpan
  /// What is counted once: a subject, or each attempt of a subject.
  public var countBy: CountBy
  /// The steps in their order; at least one is required.
  public var steps: [FlowStep]
  /// Features of the app that stay locked while a permission is denied or skipped.
  public var locks: [Lock]
  /// What must hold of every run through the flow.
  public var rules: [FlowRule]
  /// Further events of the flow, with the schemas of their properties.
  public var events: [EventDeclaration]
  /// How a run can end.
  public var outcomes: [Outcome]
  /// How events of older builds are read.
  public var upcasts: [Upcast]
  /// How long events and snapshots are kept.
  public var retention: Retention?
  /// The builds this version is of, by `ctx.app_version`; nil where it does not say.
  public var appVersions: VersionRange?
  /// The other flows of the app whose events this flow folds too, where it declares them.
  public var fromFlows = FlowSources.flows([])

  /// Flows whose events another flow folds.
  public enum FlowSources: Hashable, Sendable {
    /// `"*"`: every flow of the app.
    case all
    case flows([String])

    /// Whether events that name a flow are folded.
    public func contains(_ flow: String) -> Bool {
      switch self {
      case .all: true
      case .flows(let flows): flows.contains(flow)
      }
    }
  }

  /// What a report counts once.
  public enum CountBy: String, Hashable, Sendable, CaseIterable {
    case subject
    case attempt
  }

  /// Features that need a permission.
  public struct Lock: Hashable, Sendable {
    public var permission: String
    public var features: [String]

    public init(permission: String, features: [String] = []) {
      self.permission = permission
      self.features = features
    }
  }

  /// An event the flow declares, and the schemas its properties must fulfil.
  public struct EventDeclaration: Hashable, Sendable {
    public var name: String
    public var props: [String: PropertySchema]
    /// Properties every such event must have.
    public var required: [String]
    /// What is demanded besides of those events that name a step.
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

  /// What the events of one step must carry.
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

  /// A way a run can end.
  public struct Outcome: Hashable, Sendable {
    public var name: String
    public var label: String
    public var events: [String]
    public var conditions: [PropertyCondition]
    public var isSuccess: Bool
    /// Points by kind of challenge, or under the empty key for all kinds.
    public var experiencePoints: [String: Int]

    public init(
      name: String, label: String, events: [String] = [], conditions: [PropertyCondition] = [], isSuccess: Bool,
      experiencePoints: [String: Int] = [:]
    ) {
      self.name = name
      self.label = label
      self.events = events
      self.conditions = conditions
      self.isSuccess = isSuccess
      self.experiencePoints = experiencePoints
    }
  }

  /// How an event of an older build is read today: as one event, or as several.
  public struct Upcast: Hashable, Sendable {
    /// The name the older build logged.
    public var from: String
    /// What it is read as, in this order; at least one.
    public var targets: [UpcastTarget]

    public init(from: String, targets: [UpcastTarget]) {
      self.from = from
      self.targets = targets
    }

    public init(from: String, name: String, step: UpcastValue? = nil) {
      self.init(from: from, targets: [UpcastTarget(name: name, step: step)])
    }
  }

  /// An event that an older one is read as. What it does not name stays as it was logged.
  public struct UpcastTarget: Hashable, Sendable {
    /// The name it is read as.
    public var name: String
    /// The step it is read with; nil for the step it was logged with.
    public var step: UpcastValue?
    /// The properties it is read with, besides those it was logged with.
    public var props: [String: UpcastValue]

    public init(name: String, step: UpcastValue? = nil, props: [String: UpcastValue] = [:]) {
      self.name = name
      self.step = step
      self.props = props
    }
  }

  /// A value an upcast fills in.
  public enum UpcastValue: Hashable, Sendable {
    case literal(PropertyValue)
    /// The value of another field of the event: `$props.screen`, `$ctx.build` or `$step`.
    case field(EventField)
    /// The value that stands for the value of another field.
    case mapped(EventField, UpcastMapping)
  }

  /// Values by the values they stand for: `{"$map":"props.kind","values":{…},"else":"keep"}`.
  public struct UpcastMapping: Hashable, Sendable {
    /// By the text of the logged value, as a person writes it.
    public var values: [String: PropertyValue]
    /// What any other value becomes; nil keeps it as it is.
    public var otherwise: PropertyValue?

    public init(values: [String: PropertyValue], otherwise: PropertyValue? = nil) {
      self.values = values
      self.otherwise = otherwise
    }

    /// What a logged value becomes. An absent value (null) stays absent unless `values` says otherwise.
    public func value(for logged: PropertyValue) -> PropertyValue {
      if logged != .null, let value = values[logged.description] { return value }
      return logged == .null ? .null : otherwise ?? logged
    }
  }

  /// How long things are kept.
  public struct Retention: Hashable, Sendable {
    public var events: TimeSpan?
    public var snapshots: TimeSpan?
    /// Names of further events of the app that are kept as long as ``events`` says, whatever flow they belong to, if any. A name may
    /// hold `*` (any characters, also none) and `?` (one character): `mood_*`.
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

/// One step of a flow.
public struct FlowStep: Hashable, Sendable {
  /// The step's id, unique within its flow version.
  public var id: String
  /// What people read in reports.
  public var label: String
  /// How the step is entered.
  public var kind: Kind
  /// Whether a run may pass without it.
  public var isOptional: Bool
  /// Permissions asked inside the step, in this order.
  public var asks: [String]
  /// Those of ``asks`` for which entering the step is a pre-prompt: `{"permission":"health","primed_by":"step"}`.
  public var primes: Set<String> = []
  /// What every `step_*` event of the step must carry.
  public var props: [String: PropertySchema] = [:]
  public var requiredProps: [String] = []
  /// How far the app's progress bar stands, 0 to 1.
  public var progress: Double?

  /// What enters a step.
  public enum Kind: Hashable, Sendable {
    /// `step_viewed` with the step's id.
    case screen
    /// The pre-prompt of a permission.
    case permission(String)
    /// The events the definition lists.
    case event([EventPattern])
  }

  public init(
    id: String, label: String, kind: Kind, isOptional: Bool, asks: [String] = [], progress: Double? = nil
  ) {
    self.id = id
    self.label = label
    self.kind = kind
    self.isOptional = isOptional
    self.asks = asks
    self.progress = progress
  }
}

/// An event that enters a step: its name, and conditions on it.
public struct EventPattern: Hashable, Sendable {
  public var event: String
  public var conditions: [PropertyCondition]

  public init(event: String, conditions: [PropertyCondition] = []) {
    self.event = event
    self.conditions = conditions
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

/// A field of an event that conditions and segments may name.
public enum EventField: Hashable, Sendable {
  case step
  case property(String)
  case context(String)

  /// Reads `step`, `props.name` or `ctx.name`.
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

  /// `step`, `props.name` or `ctx.name`.
  public var description: String {
    switch self {
    case .step: "step"
    case .property(let key): "props.\(key)"
    case .context(let key): "ctx.\(key)"
    }
  }
}

extension FlowDefinition {
  /// `cleaner/permissions_flow@1`.
  public var reference: String { "\(app)/\(flow)@\(version)" }

  /// Indices of the required steps, in order.
  public var requiredSteps: [Int] { steps.indices.filter { !steps[$0].isOptional } }

  /// The permissions of the flow by their place in it, each with the index of the step that asks for it.
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
