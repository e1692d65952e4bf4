// Rules about steps and about what their events carry.

extension FlowRule {
  /// `step_back` is possible from these steps only.
  public struct BackFrom: Hashable, Sendable {
    public var steps: [String]

    public init(steps: [String]) { self.steps = steps }
  }

  /// `step_skipped` is possible on these steps only.
  public struct Skippable: Hashable, Sendable {
    public var steps: [String]

    public init(steps: [String]) { self.steps = steps }
  }

  /// A step takes at most so many things.
  public struct MaxItems: Hashable, Sendable {
    public var step: String
    /// The key of `props` that counts them in `step_completed`.
    public var property: String
    public var maximum: Int
    /// The `props.reason` of `step_failed` where there are more.
    public var reason: String?

    public init(step: String, property: String, maximum: Int, reason: String? = nil) {
      self.step = step
      self.property = property
      self.maximum = maximum
      self.reason = reason
    }
  }

  /// A step needs at least so many things.
  public struct MinItems: Hashable, Sendable {
    public var step: String
    /// The key of `props` that counts them in `step_completed`.
    public var property: String
    public var minimum: Int
    /// The `props.reason` of `step_failed` where there are fewer.
    public var reason: String?

    public init(step: String, property: String, minimum: Int, reason: String? = nil) {
      self.step = step
      self.property = property
      self.minimum = minimum
      self.reason = reason
    }
  }

  /// Why a flow was shown, told by a property of the event that starts it.
  public struct StartTrigger: Hashable, Sendable {
    public var event: String
    /// The key of `props` that tells the reason.
    public var property: String
    /// Its value at a group's first start.
    public var first: String?
    /// Its value at a later start, while the group has not completed the flow.
    public var untilCompleted: String?
    /// Its value at a start that may happen at any time.
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

  /// Keys of personal data this flow comes near to: its events are refused with one, as with those of the privacy list.
  public struct NoPersonalData: Hashable, Sendable {
    /// Each a word or several: `ssid`, `contact_name`, `contact name`.
    public var keys: [String]

    public init(keys: [String]) { self.keys = keys }
  }
}
