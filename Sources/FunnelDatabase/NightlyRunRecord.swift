public import FunnelModel
public import FunnelReports

/// What a night writes into the database, besides what the database finds by comparing it with the nights before.
public struct NightlyRunRecord: Sendable {
  /// The moment the reports are of; it names the night. A night of the same moment is written again.
  public var asOf: Timestamp
  /// The days of which ``rows`` tells.
  public var days: ClosedRange<CivilDate>
  /// The last commit of the store that the numbers count.
  public var commit: Int
  /// When the run began and when it wrote this, by the real clock.
  public var clock: (started: Timestamp, written: Timestamp)
  /// The numbers of the run itself, by the name of their column in `runs`.
  public var counts: KeyValuePairs<String, Int>
  /// What the night's alerts say, as a JSON array of texts.
  public var messages: String
  /// The hash of the definition of each flow version, by its reference (`clarity/onboarding@2`).
  public var definitions: [String: String]
  /// The rows of each table of days.
  public var rows: [(table: DayTable, rows: [DayRow])]
  /// The days and flow versions whose events were dropped; what was reported of them stays.
  public var dropped: Set<DayKey>

  public init(
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

/// A night that the database has.
public struct RecordedNightlyRun: Hashable, Sendable {
  public let asOf: Timestamp
  public let days: ClosedRange<CivilDate>
  public let commit: Int
  /// The hash of the definition of each flow version, by its reference.
  public let definitions: [String: String]
}

/// What a night changes in the database.
public struct NightlyRunChanges: Sendable {
  /// The rows to be written to each table.
  public let rows: [(table: DayTable, rows: [DayRow])]
  /// The numbers that differ from what was last reported.
  public let restatements: [Restatement]
}
