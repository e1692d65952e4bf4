extension FlowDefinition {
  /// The keys that the flow's `no_personal_data` rules forbid.
  public var forbiddenKeys: [String] {
    rules.flatMap { rule -> [String] in if case .noPersonalData(let rule) = rule { rule.keys } else { [] } }
  }
}
