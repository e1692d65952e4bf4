package import FunnelModel
import FunnelProjections
import FunnelRendering

/// The report of `funnel report retention`: the share of each cohort that returns, by period.
package enum CohortRetentionReport: NamedReport {
  package typealias Projector = RetentionProjector

  package static let name = "retention"
  package static let heading = "Retention"

  package static let fields: [Field<RetentionRow>] = [
    .text("every") { $0.every.rawValue },
    .text("from") { $0.start.rawValue },
    .tree("return") { $0.returnEvents.isEmpty ? .null : .texts($0.returnEvents) },
    .segment,
    .branches(
      "cohorts", tree: { .array($0.allCohorts.map(tree)) },
      [
        .text("bucket") { $0.cohort.bucket?.name },
        .text("start") { $0.cohort.bucket?.start.description },
        .text("end") { $0.cohort.bucket?.end.description },
        .count("groups") { $0.cohort.groups },
        .count("period") { $0.index + 1 },
        .count("returned") { $0.period.returnedIfOver },
        .count("of") { $0.period.overIfAny },
        .rate("share") { $0.period.share },
      ], { $0.lines }),
  ]

  private static func tree(of cohort: RetentionCohort) -> JSONValue {
    .object([
      ("bucket", .text(orNull: cohort.bucket?.name)), ("start", .text(orNull: cohort.bucket?.start.description)),
      ("end", .text(orNull: cohort.bucket?.end.description)), ("groups", .count(cohort.groups)),
      (
        "periods",
        .array(
          cohort.periods.enumerated().map { index, period in
            .object(
              [
                ("period", .count(index + 1)), ("returned", period.returnedIfOver.map(JSONValue.count) ?? .null),
                ("of", period.overIfAny.map(JSONValue.count) ?? .null),
              ] + JSONValue.rate("share", period.share))
          })
      ),
    ])
  }
}

/// The retention of the groups of one flow version in one segment.
package struct RetentionRow: ReportRow {
  package var key: RowKey
  package var title: String
  /// The unit of cohorts and periods.
  package var every: CalendarUnit
  /// The event from which periods are measured.
  package var start: RetentionQuery.Start
  /// The names of the return events. Empty if every event of the app is one.
  package var returnEvents: [String]
  /// The sum of all cohorts. It has no bucket.
  package var total: RetentionCohort
  /// The cohorts from the first to the last with a group, in order.
  package var cohorts: [RetentionCohort]

  package var groups: Int { total.groups }

  /// The total, followed by the cohorts.
  var allCohorts: [RetentionCohort] { [total] + cohorts }

  package var isConsistent: Bool {
    allCohorts.allSatisfy { cohort in
      cohort.periods.allSatisfy { $0.returned <= $0.over && $0.over <= cohort.groups }
    }
  }
}

/// The days in which the groups of a cohort start.
package struct RetentionBucket: Hashable, Sendable {
  /// The name: `2026-11-20`, `2026-W47`, `2026-11`.
  package var name: String
  package var start: CivilDate
  /// The first day after the bucket.
  package var end: CivilDate
}

/// The groups that start in one bucket, or in any.
package struct RetentionCohort: Hashable, Sendable {
  /// The bucket, or `nil` for the total of all cohorts.
  package var bucket: RetentionBucket?
  package var groups = 0
  /// The periods in order, beginning with period 1.
  package var periods: [RetentionPeriod]

  init(bucket: RetentionBucket?, periodCount: Int) {
    self.bucket = bucket
    periods = Array(repeating: RetentionPeriod(), count: periodCount)
  }

  /// Adds the groups of another cohort, which must have as many periods.
  mutating func add(_ other: RetentionCohort) {
    precondition(periods.count == other.periods.count, "all cohorts of a report have the same periods")
    groups += other.groups
    for index in periods.indices {
      periods[index].over += other.periods[index].over
      periods[index].returned += other.periods[index].returned
    }
  }
}

/// The groups of a cohort in one period.
package struct RetentionPeriod: Hashable, Sendable {
  /// The number of groups whose period is over.
  package var over = 0
  /// The number of those groups that returned in the period.
  package var returned = 0

  /// The number of groups whose period is over, or `nil` if there are none.
  var overIfAny: Int? { over == 0 ? nil : over }
  /// The number of groups that returned, or `nil` if no group's period is over.
  var returnedIfOver: Int? { over == 0 ? nil : returned }
  /// The share of the groups whose period is over that returned, or `nil` if there are none.
  package var share: Rate? { Rate(returned, of: over) }
}

extension RetentionRow {
  /// One period of a cohort.
  struct Line: Sendable {
    let cohort: RetentionCohort
    /// The index of the period, from 0.
    let index: Int

    var period: RetentionPeriod { cohort.periods[index] }
  }

  /// The periods of the total and of all cohorts, in order.
  var lines: [Line] { allCohorts.flatMap { cohort in cohort.periods.indices.map { Line(cohort: cohort, index: $0) } } }
}
