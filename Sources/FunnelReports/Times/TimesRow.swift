/// How long the groups of one flow version in one segment take.
public struct TimesRow: ReportRow {
  public var key: RowKey
  public var title: String
  public var entered: Int
  /// The times from the step before, of all steps but the first.
  public var steps: [TimesStepRow]
  /// The time from the anchor to the last required step.
  public var total: TimeSummary

  public var groups: Int { entered }
}

/// How long it takes to get to a step from the required step before it.
public struct TimesStepRow: Hashable, Sendable {
  public var id: String
  public var label: String
  /// The label of the required step that the times begin at; nil if there is none, or if steps may come in any order.
  public var previousLabel: String?
  public var isOptional: Bool
  public var times: TimeSummary
}
