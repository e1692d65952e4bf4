extension FlowDefinition {
  /// A way in which a run can end.
  public struct Outcome: Hashable, Sendable {
    public var name: String
    public var label: String
    public var events: [String]
    public var conditions: [PropertyCondition]
    public var isSuccess: Bool
    /// Whether the outcome ends a group, which then awaits no further step. It does not where it comes in the middle of the flow, such as a
    /// paywall that was closed.
    public var isEnd = true
    /// What the outcome is worth, by unit (`xp`, `USD`): of a unit's amounts, the first that applies counts.
    public var values: [String: [Amount]]

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

  /// Returns the properties that the definition lists for the events of an outcome (`events.NAME.props`), sorted: a report breaks the
  /// outcome down by them.
  public func detailKeys(of outcome: Outcome) -> [String] {
    let keys = events.filter { outcome.events.contains($0.name) }.flatMap(\.props.keys)
    return Set(keys).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
