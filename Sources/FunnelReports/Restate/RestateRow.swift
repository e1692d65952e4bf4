/// A number that differs between two commits of a log.
public struct RestateRow: ReportRow {
  public var key: RowKey
  public var title: String
  /// The name of the number: `funnel.entered`, `step.photos.reached`.
  public var number: String
  /// The number at the earlier commit, or `nil` if it had no such row.
  public var before: Int?
  /// The number at the later commit, or `nil` if it has no such row.
  public var after: Int?
  /// The commits that changed the number, in order.
  public var commits: [Int]

  public var groups: Int { max(before ?? 0, after ?? 0) }
}
