/// The parameters of the retention report: which event begins a group's periods, and which events are a return.
///
/// The unit of cohorts and periods is ``ReportQuery/every``, and a week by default (``ReportQuery/retentionUnit``).
package struct RetentionQuery: Hashable, Sendable {
  /// The event from which periods are measured.
  package enum Start: String, Hashable, Sendable, CaseIterable {
    /// The group's anchor.
    case entered
    /// The match of the last required step. Groups without it are not counted.
    case completed
  }

  /// The number of periods if none is given.
  package static let periodCountDefault = 8

  /// The number of periods, from 1 to ``Limits/retentionPeriodsMax``.
  package var periodCount = RetentionQuery.periodCountDefault
  /// The event from which periods are measured.
  package var start = Start.entered
  /// The names of the events that are a return. Empty if every event of the app is one.
  package var returnEvents: [String] = []
  /// The cell whose groups are listed, or `nil` to count all cells.
  package var listed: Cell?

  /// A cell of the report: the groups of a cohort that return in a period.
  package struct Cell: Hashable, Sendable {
    /// The period, from 1.
    package var period: Int
    /// The first day of the cohort, or `nil` for all cohorts.
    package var cohort: CivilDate?

    package init(period: Int, cohort: CivilDate?) {
      precondition(period >= 1, "periods are numbered from 1")
      self.period = period
      self.cohort = cohort
    }
  }

  /// Creates the default parameters.
  package init() {}
}

extension ReportQuery {
  /// The unit of cohorts and periods of the retention report.
  package var retentionUnit: CalendarUnit { every ?? .week }
}

extension CalendarUnit {
  /// The length of a period of the retention report: 24 hours, 7 days or 30 days of elapsed time.
  package var periodMilliseconds: Int64 {
    switch self {
    case .day: Timestamp.millisecondsPerDay
    case .week: 7 * Timestamp.millisecondsPerDay
    case .month: 30 * Timestamp.millisecondsPerDay
    }
  }
}
