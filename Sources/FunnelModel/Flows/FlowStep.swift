/// One step of a flow.
public struct FlowStep: Hashable, Sendable {
  /// The step's ID, unique within its flow version.
  public var id: String
  /// The step's name in reports.
  public var label: String
  /// The events that enter the step.
  public var kind: Kind
  /// Whether a group can complete the flow without the step.
  public var isOptional: Bool
  /// The permissions that the step asks for, in order.
  public var asks: [String]
  /// The permissions in ``asks`` for which entering the step is the pre-prompt (`"primed_by":"step"`).
  public var primes: Set<String> = []
  /// The schemas of the properties of the step's `step_*` events, by key.
  public var props: [String: PropertySchema] = [:]
  /// The keys of the properties that the step's `step_*` events must have.
  public var requiredProps: [String] = []
  /// The position of the app's progress bar on the step, from 0 to 1, or `nil` if it is unspecified.
  public var progress: Double?
  /// The maximum time from the previous step's match to this one, inclusive, or `nil` for no limit except the flow's window.
  ///
  /// Only required steps other than the first have this and ``minGap``.
  public var window: TimeSpan?
  /// The minimum time from the previous step's match to this one, inclusive, or `nil` for none.
  public var minGap: TimeSpan?

  /// The events that enter a step.
  public enum Kind: Hashable, Sendable {
    /// `step_viewed` with the step's ID.
    case screen
    /// The pre-prompt of a permission.
    case permission(String)
    /// Every event that matches one of these patterns.
    case event([EventPattern])
  }

  /// Creates a step.
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

/// A pattern of events: a name and conditions on fields.
public struct EventPattern: Hashable, Sendable {
  /// The name of the event.
  public var event: String
  /// The conditions, all of which must hold.
  public var conditions: [PropertyCondition]

  /// Creates a pattern.
  public init(event: String, conditions: [PropertyCondition] = []) {
    self.event = event
    self.conditions = conditions
  }
}
