package import FunnelKit
import FunnelModel
import FunnelStore
import FunnelSystem

/// One run of `funnel nightly`: ingests the inbox, writes reports, checks alerts and maintains the store.
///
/// The run consists of stages (``NightlyRunStage``). A failed stage does not stop the others. A run may be
/// killed at any time: the next one completes its work.
package struct NightlyRun {
  let settings: NightlyRunSettings
  let reports: NightlyReports
  let monitor: any OperationMonitor
  package internal(set) var stages: NightlyRunStages
  /// The messages for the user: alarms and crossed thresholds. Problems are added at the end of the run.
  var messages: [NightlyRunMessage] = []
  /// The counts of the ingest.
  var outcome = NightlyOutcome()
  /// The numbers, or `nil` if they could not be computed.
  var numbers: NightlyRunNumbers?
  /// The number of restatements, or `nil` if no database was written.
  var restated: Int?
  var daysCompacted = 0
  /// The result of the retention, or `nil` if it was not requested or failed.
  var retention: RetentionReport?
  /// The number of files removed from `done`, or `nil` if this was not requested or failed.
  var doneCleared: Int?
  /// The number of events in the store after the run, or `nil` if the store could not be opened.
  var eventsInStore: Int?
  /// The wall-clock time at which the run started.
  let started = WallClock.now()
  /// The monotonic time at which the run started.
  let clock = ContinuousClock.now

  /// Creates a run that starts now.
  package init(_ settings: NightlyRunSettings, reports: NightlyReports, monitor: any OperationMonitor) {
    self.monitor = monitor
    stages = NightlyRunStages(monitor: monitor)
    self.settings = settings
    self.reports = reports
  }

  /// Runs all stages. Returns the summary, or `nil` if the store could not be opened.
  package mutating func run() -> NightlySummary? {
    let remembered = runStages()
    for message in messages { monitor.note(message.text) }
    finish()
    guard let eventsInStore else { return nil }
    return NightlySummary(
      outcome: outcome, now: settings.days.now, day: settings.days.last,
      reports: numbers == nil ? nil : reports.folder(of: settings.days.last).description, daysCompacted: daysCompacted,
      retention: retention, doneCleared: doneCleared, eventsInStore: eventsInStore, remembered: remembered,
      restated: restated, messages: alarmMessages, stages: stages.records)
  }

  /// Runs the stages that use the store. Returns the flow versions whose definitions were added to the store.
  private mutating func runStages() -> [String] {
    // The writer holds the store's lock until the last stage that changes the store.
    let (opened, ingest) = takeInbox()
    outcome = ingest?.outcome ?? NightlyOutcome()
    monitor.note(
      ImportReport(aggregate: outcome.imports, isFormatGiven: settings.ingest.imports.isFormatGiven).notes)
    guard let opened else { return [] }
    monitor.note(
      FlowNotes.unclaimedLines(
        outcome.unclaimedNames, total: outcome.unclaimed, of: outcome.accepted, advisedBy: opened.catalog))
    removeStaleFiles()
    messages += settings.thresholds.crossed(by: outcome, store: settings.storePath)
    compact(opened.writer)
    let store = opened.writer.reader
    let isReported = report(from: store, opened.catalog)
    fillDatabase(from: store, opened.catalog)
    keepStates(of: store, opened.catalog)
    if let retention = opened.retention {
      retain(opened.writer, retention, isReported: isReported, isInboxClear: ingest?.isInboxClear ?? false)
    }
    eventsInStore = opened.writer.reader.eventCount
    return ingest?.remembered ?? []
  }

  /// Removes temporary files of a killed run. In the folder of the metrics, which other programs share, only
  /// those of its own file.
  private mutating func removeStaleFiles() {
    let settings = settings
    let reports = reports
    _ = stages.problems.tolerating { () throws(FunnelError) in
      try reports.removeStaleFiles()
      if let path = settings.metrics {
        try AtomicFile.removeTemporaries(of: StoragePath(path), fileSystem: LocalFileSystem())
      }
    }
  }

  /// The alarms and crossed thresholds.
  private var alarmMessages: [NightlyRunMessage] { messages.filter { $0.kind != .problem } }

  /// The texts of alarms and crossed thresholds, for the pages and the status.
  var alarms: [String] { alarmMessages.map(\.text) }

  /// Whether an alarm was raised or a threshold crossed.
  package var isCrossed: Bool { !alarmMessages.isEmpty }
}
