public import FunnelProjections

/// What became of the steps of one flow version in one segment.
public struct StepsRow: ReportRow {
  public var key: RowKey
  public var title: String
  public var entered: Int
  /// Whether the flow asks for permissions, whose skips are counted differently than those of steps.
  public var asksPermissions = false
  public var steps: [StepsStepRow]

  public var groups: Int { entered }
}

/// What became of a step.
public struct StepsStepRow: Hashable, Sendable {
  public var id: String
  public var label: String
  public var isOptional: Bool
  /// The groups that reached the step; nil for optional steps if steps come in any order.
  public var reached: Int?
  /// The groups that completed, skipped, went back from or failed at the step during their stay.
  public var completed: Int
  public var skipped: Int
  public var back: Int
  public var failed: Int
  /// The failures by their reason, most first.
  public var failures: [NamedCount]
  /// The number of times that the step was entered during the stays.
  public var views: Int
  /// The time from the match to the completion or else to the next required step.
  public var time: Quantiles?
  /// The properties of the completions.
  public var values: [PropertySummary]
}
