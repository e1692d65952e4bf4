package import FunnelModel
import FunnelProjections
import FunnelRendering

/// The report of `funnel report trend`: the conversion and grant rates by day, week or month.
package enum TrendReport: NamedReport {
  package typealias Projector = TrendProjector

  package static let name = "trend"
  package static let heading = "Trend"

  package static let fields: [Field<TrendRow>] = [
    .text("every") { $0.every.rawValue },
    .segment,
    .list(
      "buckets",
      [
        .text("bucket") { $0.name },
        .text("start") { $0.start.description },
        .text("end") { $0.end.description },
        .flag("closed") { $0.isClosed },
        .count("entered") { $0.entered },
        .count("completed") { $0.completed },
        .count("in_progress") { $0.inProgress },
        .count("dropped") { $0.dropped },
        .optionalCount("excluded") { $0.excluded },
        .rate("conversion") { $0.conversion },
        .tree("permissions") { bucket in
          .array(
            bucket.permissions.map { permission in
              .object(
                [
                  ("permission", .text(permission.name)), ("prompted", .count(permission.prompted)),
                  ("granted", .count(permission.granted)),
                ] + JSONValue.rate("grant_rate", permission.grantRate))
            })
        },
        .remark("source") { $0.isFromSnapshot ? "snapshot" : nil },
      ], { $0.buckets }),
  ]

  /// Returns the query with the day as its last dimension. Longer units are sums of days.
  package static func counted(_ query: ReportQuery) -> ReportQuery {
    var query = query
    query.by.append(.day)
    return query
  }
}

/// The trend of one flow version in one segment.
package struct TrendRow: ReportRow {
  package var key: RowKey
  package var title: String
  /// The unit of the buckets.
  package var every: CalendarUnit
  /// The number of groups that entered, in all buckets.
  package var entered: Int
  /// The buckets from the first to the last with an entry or a pre-prompt, in order.
  package var buckets: [TrendBucket]

  package var groups: Int { entered }

  package var isConsistent: Bool {
    buckets.allSatisfy { $0.entered == $0.completed + $0.dropped + $0.inProgress + ($0.excluded ?? 0) }
  }
}

/// The groups that entered on one day, or in one week or month.
package struct TrendBucket: Hashable, Sendable {
  /// The name: `2026-11-20`, `2026-W47`, `2026-11`.
  package var name: String
  package var start: CivilDate
  /// The first day after the bucket.
  package var end: CivilDate
  /// Whether the window of every group that may enter in the bucket has closed.
  package var isClosed: Bool
  /// Whether the query includes only a part of the bucket, because `since` or `until` is within it.
  package var isPartial = false
  package var entered: Int
  package var completed: Int
  package var inProgress: Int
  package var dropped: Int
  /// The number of groups that left because of an excluded event, or `nil` if the query excludes no events.
  package var excluded: Int?
  package var permissions: [TrendPermission]
  /// Whether the numbers come from a snapshot, because the events have been deleted.
  package var isFromSnapshot = false

  package var conversion: Rate? { Rate(completed, of: entered) }
}

/// The answers to one permission, of the groups that were asked for it in a bucket.
package struct TrendPermission: Hashable, Sendable {
  package var name: String
  package var prompted: Int
  package var granted: Int

  package var grantRate: Rate? { Rate(granted, of: prompted) }
}
