public import FunnelModel
import FunnelProjections

/// The report of `funnel report trend`: the conversion and grant rates by day, week or month.
public enum TrendReport: NamedReport {
  public typealias Projector = TrendProjector

  public static let name = "trend"
  public static let heading = "Trend"

  public static let fields: [Field<TrendRow>] = [
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
                ] + FieldTree.rate("grant_rate", permission.grantRate))
            })
        },
        .remark("source") { $0.isFromSnapshot ? "snapshot" : nil },
      ], { $0.buckets }),
  ]

  /// Returns the query with the day as its last dimension. Longer units are sums of days.
  public static func counted(_ query: ReportQuery) -> ReportQuery {
    var query = query
    query.by.append(.day)
    return query
  }
}
