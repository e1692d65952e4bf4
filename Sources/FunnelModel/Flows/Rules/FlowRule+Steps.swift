// Rules about steps and about the properties of their events.

extension FlowRule {
  /// A rule by which `step_back` occurs on these steps only.
  public struct BackFrom: Hashable, Sendable {
    public var steps: [String]

    public init(steps: [String]) { self.steps = steps }
  }

  /// A rule by which `step_skipped` occurs on these steps only.
  public struct Skippable: Hashable, Sendable {
    public var steps: [String]

    public init(steps: [String]) { self.steps = steps }
  }

  /// A rule that sets the maximum number of items in a step.
  public struct MaxItems: Hashable, Sendable {
    public var step: String
    /// The key of `props` that holds the number of items in `step_completed`.
    public var property: String
    public var maximum: Int
    /// The `props.reason` of `step_failed` if there are more items.
    public var reason: String?

    public init(step: String, property: String, maximum: Int, reason: String? = nil) {
      self.step = step
      self.property = property
      self.maximum = maximum
      self.reason = reason
    }
  }

  /// A rule that sets the minimum number of items in a step.
  public struct MinItems: Hashable, Sendable {
    public var step: String
    /// The key of `props` that holds the number of items in `step_completed`.
    public var property: String
    public var minimum: Int
    /// The `props.reason` of `step_failed` if there are fewer items.
    public var reason: String?

    public init(step: String, property: String, minimum: Int, reason: String? = nil) {
      self.step = step
      self.property = property
      self.minimum = minimum
      self.reason = reason
    }
  }

  /// The reason for which a flow was shown, given by a property of the event that starts it.
  public struct StartTrigger: Hashable, Sendable {
    public var event: String
    /// The key of `props` that holds the reason.
    public var property: String
    /// The value at a group's first start.
    public var first: String?
    /// The value at a later start while the group has not completed the flow.
    public var untilCompleted: String?
    /// The value at a start that may happen at any time.
    public var forced: String?

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

  /// Keys of personal data close to this flow's subject. An event with one of them is rejected, as with a key of the privacy list.
  public struct NoPersonalData: Hashable, Sendable {
    /// The keys, each of one or several words: `ssid`, `contact_name`, `contact name`.
    public var keys: [String]

    public init(keys: [String]) { self.keys = keys }
  }
}
