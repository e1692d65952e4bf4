/// A number that two states of a log tell differently.
public struct RestateRow: ReportRow {
  public var key: RowKey
  public var title: String
  /// The number: `funnel.entered`, `step.photos.reached`.
  public var number: String
  /// The number in the earlier state; nil if its row was not there.
  public var before: Int?
  /// The number in the later state; nil if its row is not there.
  public var after: Int?
  /// The commits that made the difference, in order.
  public var commits: [Int]

  public var groups: Int { max(before ?? 0, after ?? 0) }
}
