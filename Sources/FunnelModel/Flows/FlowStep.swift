/// One step of a flow.
public struct FlowStep: Hashable, Sendable {
  /// The step's id, unique within its flow version.
  public var id: String
  /// The step's name in reports.
  public var label: String
  /// The way in which the step is entered.
  public var kind: Kind
  /// Whether a run may complete without the step.
  public var isOptional: Bool
  /// The permissions that the step asks for, in this order.
  public var asks: [String]
  /// Those of ``asks`` for which entering the step is a pre-prompt: `{"permission":"health","primed_by":"step"}`.
  public var primes: Set<String> = []
  /// The schemas of the properties of the step's `step_*` events.
  public var props: [String: PropertySchema] = [:]
  public var requiredProps: [String] = []
  /// The position of the app's progress bar, from 0 to 1.
  public var progress: Double?
  /// The maximum time after the previous step's match at which this step is matched, inclusive; nil limits it by the flow's window only.
  ///
  /// Only a required step that follows another has this and ``minGap``.
  public var window: TimeSpan?
  /// The minimum time after the previous step's match at which this step is matched, inclusive.
  public var minGap: TimeSpan?

  /// The events that enter a step.
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

/// An event that enters a step: its name, and conditions on its fields.
public struct EventPattern: Hashable, Sendable {
  public var event: String
  public var conditions: [PropertyCondition]

  public init(event: String, conditions: [PropertyCondition] = []) {
    self.event = event
    self.conditions = conditions
  }
}
