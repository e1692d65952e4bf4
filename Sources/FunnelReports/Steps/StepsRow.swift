public import FunnelProjections

/// The steps report of one flow version in one segment.
public struct StepsRow: ReportRow {
  public var key: RowKey
  public var title: String
  public var entered: Int
  /// Whether the flow asks for permissions. A skipped permission counts as a skip of its step.
  public var asksPermissions = false
  public var steps: [StepsStepRow]

  public var groups: Int { entered }
}

/// The numbers of one step.
public struct StepsStepRow: Hashable, Sendable {
  public var id: String
  public var label: String
  public var isOptional: Bool
  /// The number of groups that reached the step, or `nil` for an optional step if steps may come in any order.
  public var reached: Int?
  /// The number of groups that completed the step during their stay.
  public var completed: Int
  /// The number of groups that skipped the step during their stay.
  public var skipped: Int
  /// The number of groups that went back from the step during their stay.
  public var back: Int
  /// The number of groups that failed at the step during their stay.
  public var failed: Int
  /// The failures by reason, most frequent first.
  public var failures: [NamedCount]
  /// The number of times that the step was entered during the stays.
  public var views: Int
  /// The time from the match to the completion or, without one, to the match of the next required step.
  public var time: Quantiles?
  /// The properties of the completions.
  public var values: [PropertySummary]
}
