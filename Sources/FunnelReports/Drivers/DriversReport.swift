package import FunnelModel
import FunnelProjections
import FunnelRendering

/// The report of `funnel report drivers`: the conditions under which more, or fewer, groups are lost than elsewhere.
package enum DriversReport: NamedReport {
  package typealias Projector = DriversProjector

  package static let name = "drivers"
  package static let heading = "Where the loss is"

  /// Only groups with closed windows are counted. The others are not lost yet.
  package static func counted(_ query: ReportQuery) -> ReportQuery {
    var query = query
    query.isMature = true
    return query
  }

  package static let fields: [Field<DriversRow>] = [
    .segment,
    .text("of") { $0.search.share.description },
    .count("groups") { $0.groups },
    .share("rate") { $0.rate?.value },
    .count("tested") { $0.tested },
    .list(
      "drivers",
      [
        .tree("where") { driver in
          .object(driver.conditions.map { ($0.key.description, .value($0.value)) })
        },
        .count("groups") { $0.groups },
        .rate("rate") { $0.rate },
        .share("rest_rate") { $0.restRate.value },
        .number("difference") { $0.difference },
        .interval("difference_ci95") { ($0.differenceInterval.lowerBound, $0.differenceInterval.upperBound) },
        .count("lost") { $0.lost },
        .number("p") { $0.p },
        .number("q") { $0.q },
      ], { $0.drivers }),
  ]
}

/// The drivers of one flow version in one segment.
package struct DriversRow: ReportRow {
  package var key: RowKey
  package var title: String
  package var search: DriverSearch
  /// The display name of the step that the share is about, or `nil` if it is about no step.
  package var label: String?
  package var groups: Int
  /// The share of the groups that succeed.
  package var rate: Rate?
  /// The number of conditions and pairs of conditions that were tested.
  package var tested: Int
  /// The findings, the largest loss or gain first.
  package var drivers: [Driver]
  /// The keys that were not used, in the order of the keys.
  package var leftOut: [DriverSearch.LeftOutKey]

  /// Tests all conditions.
  ///
  /// - Parameters:
  ///   - all: All groups of the row.
  ///   - counts: The counts of these groups by the values of the keys.
  init(
    key: RowKey, title: String, search: DriverSearch, label: String?, all: DriverShare, counts: CrossCounts
  ) {
    self.key = key
    self.title = title
    self.search = search
    self.label = label
    groups = all.groups
    rate = Rate(all.successes, of: all.groups)
    let tests = DriverTests(of: counts, all: all, search)
    tested = tests.tests.count
    drivers = tests.drivers(keys: counts.keys)
    leftOut = search.leftOutKeys(of: counts, all: all)
  }
}

/// A finding: the groups for which one or two conditions hold, compared with all others.
package struct Driver: Hashable, Sendable {
  /// A condition `KEY=VALUE`.
  package struct Condition: Hashable, Sendable {
    package var key: Dimension
    package var value: PropertyValue
  }

  package var conditions: [Condition]
  package var groups: Int
  package var rate: Rate
  /// The share of all other groups that succeed.
  package var restRate: Rate
  /// The share of the groups minus that of all others.
  package var difference: Double
  /// Newcombe's 95 % interval of the difference.
  package var differenceInterval: ClosedRange<Double>
  /// The number of groups that would have succeeded in addition with the share of all others. Negative for a gain.
  package var lost: Int
  package var p: Double
  /// The p-value after the correction for all tests (Benjamini and Hochberg).
  package var q: Double
}
