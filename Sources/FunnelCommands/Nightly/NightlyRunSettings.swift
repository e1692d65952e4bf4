import FunnelIngest
import FunnelModel

/// What a night is asked to do.
struct NightlyRunSettings {
  var inbox: NightlyInbox
  /// Which of its files may still be written.
  var settling: NightlySettling
  /// The folder of the reports.
  var out: String
  var ingest: IngestOperation
  var days: NightlyRunDays
  var thresholds: NightlyThresholds
  /// Whether events are dropped that were kept as long as their flows say.
  var retains: Bool
  /// The file of the database, and the number of days that it is told.
  var database: String?
  var databaseDays: Int
  /// The folder of the states of closed days.
  var states: String?
  /// The file of the metrics.
  var metrics: String?
  /// The file of the rules of alerts.
  var alerts: String?
  /// The command that gets the night's messages.
  var notify: String?

  var storePath: String { ingest.storePath }
  var threads: Int { ingest.threads }
}
