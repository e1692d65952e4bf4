public import FunnelModel
public import FunnelProjections

/// The trend of one flow version in one segment.
public struct TrendRow: ReportRow {
  public var key: RowKey
  public var title: String
  /// The unit of the buckets.
  public var every: CalendarUnit
  /// The number of groups that entered, in all buckets.
  public var entered: Int
  /// The buckets from the first to the last with an entry or a pre-prompt, in order.
  public var buckets: [TrendBucket]

  public var groups: Int { entered }
}

/// The groups that entered on one day, or in one week or month.
public struct TrendBucket: Hashable, Sendable {
  /// The name: `2026-11-20`, `2026-W47`, `2026-11`.
  public var name: String
  public var start: CivilDate
  /// The first day after the bucket.
  public var end: CivilDate
  /// Whether the window of every group that may enter in the bucket has closed.
  public var isClosed: Bool
  /// Whether the query includes only a part of the bucket, because `since` or `until` is within it.
  public var isPartial = false
  public var entered: Int
  public var completed: Int
  public var inProgress: Int
  public var dropped: Int
  /// The number of groups that left because of an excluded event, or `nil` if the query excludes no events.
  public var excluded: Int?
  public var permissions: [TrendPermission]
  /// Whether the numbers come from a snapshot, because the events have been deleted.
  public var isFromSnapshot = false

  public var conversion: Rate? { Rate(completed, of: entered) }
}

/// The answers to one permission, of the groups that were asked for it in a bucket.
public struct TrendPermission: Hashable, Sendable {
  public var name: String
  public var prompted: Int
  public var granted: Int

  public var grantRate: Rate? { Rate(granted, of: prompted) }
}
