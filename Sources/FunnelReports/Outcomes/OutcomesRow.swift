public import FunnelModel
public import FunnelProjections

/// How the groups of one flow version in one segment end.
public struct OutcomesRow: ReportRow {
  public var key: RowKey
  public var title: String
  public var entered: Int
  /// The groups without an outcome whose window is open.
  public var inProgress: Int
  /// The groups without an outcome whose window has closed.
  public var none: Int
  /// The number of outcome events that were followed by another in the same group.
  public var retries: Int
  public var outcomes: [OutcomeRow]

  public var groups: Int { entered }
  public var successes: Int { outcomes.reduce(0) { $0 + ($1.isSuccess ? $1.count : 0) } }
  public var successRate: Rate? { Rate(successes, of: entered - inProgress) }
}

/// The groups with one outcome.
public struct OutcomeRow: Hashable, Sendable {
  public var id: String
  public var label: String
  public var isSuccess: Bool
  public var count: Int
  /// The number of groups that have entered and are not in progress.
  public var decided: Int
  /// The time from the anchor to the outcome.
  public var time: Quantiles?
  public var details: [OutcomeDetail]
  /// What the outcomes are worth together, by unit.
  public var amounts: [OutcomeAmount]

  public var share: Rate? { Rate(count, of: decided) }
}

/// The groups with one outcome by the value of a property, most first.
public struct OutcomeDetail: Hashable, Sendable {
  public var key: String
  public var counts: [NamedCount]
}

/// What the groups with one outcome are worth together, in some unit.
public struct OutcomeAmount: Hashable, Sendable {
  public var unit: String
  public var sum: ExactDecimal
}
