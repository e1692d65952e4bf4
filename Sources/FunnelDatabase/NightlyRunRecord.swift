package import FunnelModel
package import FunnelReports

/// The data of one nightly run that is written to the database.
///
/// Restatements are not part of it: the database computes them by comparison with earlier runs
/// (``NightlyRunChanges``).
package struct NightlyRunRecord: Sendable {
  /// The moment that the reports are as of. It identifies the run: a second run of the same moment replaces the first.
  package var asOf: Timestamp
  /// The days that ``rows`` covers.
  package var days: ClosedRange<CivilDate>
  /// The last commit of the store that the numbers include.
  package var commit: Int
  /// The wall-clock times at which the run started and at which it wrote this record.
  package var clock: (started: Timestamp, written: Timestamp)
  /// The counts of the run itself, by column of the table `runs`.
  package var counts: KeyValuePairs<String, Int>
  /// The messages of the run's alerts, as a JSON array of strings.
  package var messages: String
  /// The hash of the definition of each flow version, by its reference (`clarity/onboarding@2`).
  package var definitions: [String: String]
  /// The rows of each table of days.
  package var rows: [(table: DayTable, rows: [DayRow])]
  /// The days and flow versions whose events were dropped. Their reported rows stay in the database.
  package var dropped: Set<DayKey>

  package init(
    asOf: Timestamp, days: ClosedRange<CivilDate>, commit: Int, clock: (started: Timestamp, written: Timestamp),
    counts: KeyValuePairs<String, Int>, messages: String, definitions: [String: String],
    rows: [(table: DayTable, rows: [DayRow])], dropped: Set<DayKey>
  ) {
    self.asOf = asOf
    self.days = days
    self.commit = commit
    self.clock = clock
    self.counts = counts
    self.messages = messages
    self.definitions = definitions
    self.rows = rows
    self.dropped = dropped
  }
}

/// A nightly run as read back from the database.
package struct RecordedNightlyRun: Hashable, Sendable {
  /// The moment that the reports are as of.
  package let asOf: Timestamp
  /// The days that the run reported.
  package let days: ClosedRange<CivilDate>
  /// The last commit of the store that the numbers include.
  package let commit: Int
  /// The hash of the definition of each flow version, by its reference.
  package let definitions: [String: String]
}

/// The changes that writing a nightly run makes to the database.
package struct NightlyRunChanges: Sendable {
  /// The rows to write to each table.
  package let rows: [(table: DayTable, rows: [DayRow])]
  /// The numbers that differ from those last reported.
  package let restatements: [Restatement]
}
