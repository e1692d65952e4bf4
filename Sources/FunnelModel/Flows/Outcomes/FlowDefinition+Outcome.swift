extension FlowDefinition {
  /// An outcome of a group, such as a purchase.
  public struct Outcome: Hashable, Sendable {
    /// The name of the outcome, unique within its flow.
    public var name: String
    /// The name of the outcome in reports.
    public var label: String
    /// The names of the events that represent the outcome.
    public var events: [String]
    /// The conditions on such an event, all of which must hold.
    public var conditions: [PropertyCondition]
    /// Whether the outcome is a success.
    public var isSuccess: Bool
    /// Whether the outcome ends the group, so no further step is expected. False for an outcome in the middle
    /// of a flow, such as a closed paywall.
    public var isEnd = true
    /// The worth of the outcome by unit (`xp`, `USD`). The first amount of a unit that applies is used.
    public var values: [String: [Amount]]

    /// Creates an outcome.
    public init(
      name: String, label: String, events: [String] = [], conditions: [PropertyCondition] = [], isSuccess: Bool,
      values: [String: [Amount]] = [:]
    ) {
      self.name = name
      self.label = label
      self.events = events
      self.conditions = conditions
      self.isSuccess = isSuccess
      self.values = values
    }
  }

  /// Returns the keys of the properties that the definition declares for the events of an outcome
  /// (`events.NAME.props`), sorted. Reports break the outcome down by these properties.
  public func detailKeys(of outcome: Outcome) -> [String] {
    let keys = events.filter { outcome.events.contains($0.name) }.flatMap(\.props.keys)
    return Set(keys).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
