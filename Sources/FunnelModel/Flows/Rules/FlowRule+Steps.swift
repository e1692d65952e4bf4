// Rules about steps and the properties of their events.

extension FlowRule {
  /// A rule: `step_back` occurs on certain steps only.
  public struct BackFrom: Hashable, Sendable {
    /// The IDs of the steps.
    public var steps: [String]

    /// Creates a rule.
    public init(steps: [String]) { self.steps = steps }
  }

  /// A rule: `step_skipped` occurs on certain steps only.
  public struct Skippable: Hashable, Sendable {
    /// The IDs of the steps.
    public var steps: [String]

    /// Creates a rule.
    public init(steps: [String]) { self.steps = steps }
  }

  /// A rule: a step is completed with at most a certain number of items.
  public struct MaxItems: Hashable, Sendable {
    /// The ID of the step.
    public var step: String
    /// The key in `props` of `step_completed` with the number of items.
    public var property: String
    /// The maximum number of items.
    public var maximum: Int
    /// The `props.reason` of `step_failed` if there are more items, or `nil` if it is unspecified.
    public var reason: String?

    /// Creates a rule.
    public init(step: String, property: String, maximum: Int, reason: String? = nil) {
      self.step = step
      self.property = property
      self.maximum = maximum
      self.reason = reason
    }
  }

  /// A rule: a step is completed with at least a certain number of items.
  public struct MinItems: Hashable, Sendable {
    /// The ID of the step.
    public var step: String
    /// The key in `props` of `step_completed` with the number of items.
    public var property: String
    /// The minimum number of items.
    public var minimum: Int
    /// The `props.reason` of `step_failed` if there are fewer items, or `nil` if it is unspecified.
    public var reason: String?

    /// Creates a rule.
    public init(step: String, property: String, minimum: Int, reason: String? = nil) {
      self.step = step
      self.property = property
      self.minimum = minimum
      self.reason = reason
    }
  }

  /// A rule: a property of the event that starts the flow contains the reason for the start.
  public struct StartTrigger: Hashable, Sendable {
    /// The name of the event.
    public var event: String
    /// The key in `props` with the reason.
    public var property: String
    /// The reason of a group's first start, or `nil` if it is unspecified.
    public var first: String?
    /// The reason of a later start before the group has completed the flow, or `nil` if it is unspecified.
    public var untilCompleted: String?
    /// The reason of a start that is allowed at any time, or `nil` if it is unspecified.
    public var forced: String?

    /// Creates a rule.
    public init(
      event: String, property: String, first: String? = nil, untilCompleted: String? = nil, forced: String? = nil
    ) {
      self.event = event
      self.property = property
      self.first = first
      self.untilCompleted = untilCompleted
      self.forced = forced
    }
  }

  /// A rule: events have no property with certain keys. An event with one is rejected, as with a key of ``PrivacyRules``.
  public struct NoPersonalData: Hashable, Sendable {
    /// The keys, each of one or several words: `ssid`, `contact_name`, `contact name`.
    public var keys: [String]

    /// Creates a rule.
    public init(keys: [String]) { self.keys = keys }
  }
}
