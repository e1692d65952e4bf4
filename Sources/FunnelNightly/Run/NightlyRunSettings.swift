package import FunnelKit

/// The settings of a nightly run.
package struct NightlyRunSettings {
  package var inbox: NightlyInbox
  /// The criteria for files of the inbox that may be incomplete.
  var completeness: CompletenessCriteria
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

  package init(
    inbox: NightlyInbox, completeness: CompletenessCriteria, out: String, ingest: IngestOperation, days: NightlyRunDays,
    thresholds: NightlyThresholds, retains: Bool, database: String?, databaseDays: Int, states: String?, metrics: String?,
    alerts: String?, notify: String?
  ) {
    self.inbox = inbox
    self.completeness = completeness
    self.out = out
    self.ingest = ingest
    self.days = days
    self.thresholds = thresholds
    self.retains = retains
    self.database = database
    self.databaseDays = databaseDays
    self.states = states
    self.metrics = metrics
    self.alerts = alerts
    self.notify = notify
  }

  package var storePath: String { ingest.storePath }
  var threads: Int { ingest.threads }
}
