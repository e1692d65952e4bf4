/// The times of one flow version in one segment.
public struct TimesRow: ReportRow {
  public var key: RowKey
  public var title: String
  public var entered: Int
  /// The times from the previous required step, for all steps except the first.
  public var steps: [TimesStepRow]
  /// The time from the anchor to the last required step.
  public var total: TimeSummary

  public var groups: Int { entered }
}

/// The times from the previous required step to a step.
public struct TimesStepRow: Hashable, Sendable {
  public var id: String
  public var label: String
  /// The label of the previous required step, or `nil` if there is no single one because steps may come in any order.
  public var previousLabel: String?
  public var isOptional: Bool
  public var times: TimeSummary
}
