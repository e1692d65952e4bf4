public import FunnelModel
public import FunnelProjections

/// The outcomes of one flow version in one segment.
public struct OutcomesRow: ReportRow {
  public var key: RowKey
  public var title: String
  public var entered: Int
  /// The number of groups without an outcome whose window is open.
  public var inProgress: Int
  /// The number of groups without an outcome whose window has closed.
  public var none: Int
  /// The number of outcome events that are followed by another one in the same group.
  public var retries: Int
  public var outcomes: [OutcomeRow]

  public var groups: Int { entered }
  public var successes: Int { outcomes.reduce(0) { $0 + ($1.isSuccess ? $1.count : 0) } }
  public var successRate: Rate? { Rate(successes, of: entered - inProgress) }
}

/// The numbers of one outcome.
public struct OutcomeRow: Hashable, Sendable {
  public var id: String
  public var label: String
  public var isSuccess: Bool
  public var count: Int
  /// The number of groups that entered and are not in progress, the denominator of the share.
  public var decided: Int
  /// The time from the anchor to the outcome.
  public var time: Quantiles?
  public var details: [OutcomeDetail]
  /// The sums of the amounts of the outcome, by unit.
  public var amounts: [OutcomeAmount]

  public var share: Rate? { Rate(count, of: decided) }
}

/// The numbers of groups with one outcome by the value of a property, most frequent first.
public struct OutcomeDetail: Hashable, Sendable {
  public var key: String
  public var counts: [NamedCount]
}

/// The sum of the amounts of one outcome, in one unit.
public struct OutcomeAmount: Hashable, Sendable {
  public var unit: String
  public var sum: ExactDecimal
}
