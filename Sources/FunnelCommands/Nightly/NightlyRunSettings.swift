import FunnelIngest
import FunnelModel

/// The settings of a nightly run.
struct NightlyRunSettings {
  var inbox: NightlyInbox
  /// The criteria for files of the inbox that may be incomplete.
  var settling: NightlySettling
  /// The folder of the reports.
  var out: String
  var ingest: IngestOperation
  var days: NightlyRunDays
  var thresholds: NightlyThresholds
  /// Whether to drop events that are older than their flows allow.
  var retains: Bool
  /// The file of the database, or `nil` for none.
  var database: String?
  /// The number of days to write to the database and to recompute for ``states``.
  var databaseDays: Int
  /// The folder for the states of closed days, or `nil` for none.
  var states: String?
  /// The file of the metrics, or `nil` for none.
  var metrics: String?
  /// The file of alert rules, or `nil` for none.
  var alerts: String?
  /// The command that receives the messages of the run, or `nil` for none.
  var notify: String?

  var storePath: String { ingest.storePath }
  var threads: Int { ingest.threads }
}
