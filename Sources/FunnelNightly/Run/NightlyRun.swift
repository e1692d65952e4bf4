import FunnelDecoding
import FunnelIngest
package import FunnelKit
import FunnelMaintenance
import FunnelModel
import FunnelRendering
import FunnelReports
import FunnelSchemas
import FunnelStore
import FunnelSystem

/// One run of `funnel nightly`: ingests the inbox, writes reports, checks alerts and maintains the store.
///
/// The run consists of stages (``NightlyRunStage``). A failed stage does not stop the others. A run may be
/// killed at any time: the next one completes its work.
package struct NightlyRun {
  let settings: NightlyRunSettings
  let reports: NightlyReports
  private let monitor: any OperationMonitor
  package private(set) var stages: NightlyRunStages
  /// The messages for the user: alarms and crossed thresholds. Problems are added at the end of the run.
  var messages: [NightlyRunMessage] = []
  private var outcome = NightlyOutcome()
  /// The numbers, or `nil` if they could not be computed.
  private var numbers: NightlyRunNumbers?
  /// The number of restatements, or `nil` if no database was written.
  private var restated: Int?
  private var daysCompacted = 0
  /// The result of the retention, or `nil` if it was not requested or failed.
  private var retention: RetentionReport?
  /// The number of files removed from `done`, or `nil` if this was not requested or failed.
  private var doneCleared: Int?
  /// The number of events in the store after the run, or `nil` if the store could not be opened.
  private var eventsInStore: Int?
  /// The wall-clock time at which the run started.
  private let started = WallClock.now()
  /// The monotonic time at which the run started.
  private let clock = ContinuousClock.now

  /// Creates a run that starts now.
  package init(_ settings: NightlyRunSettings, reports: NightlyReports, monitor: any OperationMonitor) {
    self.monitor = monitor
    stages = NightlyRunStages(monitor: monitor)
    self.settings = settings
    self.reports = reports
  }

  /// Runs all stages. Returns the summary, or `nil` if the store could not be opened.
  package mutating func run() -> NightlySummary? {
    // The writer holds the store's lock until the last stage that changes the store.
    var opened: (writer: StoreWriter, catalog: FlowCatalog)?
    var inbox = InboxState()
    var retaining: NightlyRetention?
    let settings = settings
    let monitor = monitor
    stages.run(.ingest) { (problems) throws(FunnelError) in
      try settings.inbox.requireApart(store: settings.storePath, out: settings.out)
      let (writer, catalog) = try settings.ingest.openWriter(monitor: monitor)
      // This throws if no flow has a retention period, so it comes before the ingest.
      if settings.retains {
        retaining = try NightlyRetention(catalog: catalog, now: settings.days.now, threads: settings.threads)
      }
      opened = (writer, catalog)
      try inbox.take(settings, into: writer, catalog, &problems, monitor)
    }
    outcome = inbox.outcome
    monitor.note(
      ImportReport(aggregate: outcome.imports, isFormatGiven: settings.ingest.imports.isFormatGiven).notes
        + unclaimedLines(of: opened?.catalog))
    if let (writer, catalog) = opened {
      removeStaleFiles()
      messages += settings.thresholds.crossed(by: outcome, store: settings.storePath)
      compact(writer)
      let isReported = report(from: writer.reader, catalog)
      fillDatabase(from: writer.reader, catalog)
      keepStates(of: writer.reader, catalog)
      if let retaining { retain(writer, retaining, isReported: isReported, inbox) }
      eventsInStore = writer.reader.eventCount
    }
    opened = nil
    for message in messages { monitor.note(message.text) }
    finish()
    guard let eventsInStore else { return nil }
    return NightlySummary(
      outcome: outcome, now: settings.days.now, day: settings.days.last,
      reports: numbers == nil ? nil : reports.folder(of: settings.days.last).description, daysCompacted: daysCompacted,
      retention: retention, doneCleared: doneCleared, eventsInStore: eventsInStore, remembered: inbox.remembered,
      restated: restated,
      messages: messages.filter { $0.kind != .problem }, stages: stages.records)
  }

  /// Returns the notes on events that no flow declares.
  private func unclaimedLines(of catalog: FlowCatalog?) -> [String] {
    guard let catalog else { return [] }
    return FlowNotes.unclaimedLines(
      outcome.unclaimedNames, total: outcome.unclaimed, of: outcome.accepted, advisedBy: catalog)
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

  /// Whether an alarm was raised or a threshold crossed.
  package var isCrossed: Bool { messages.contains { $0.kind != .problem } }
}

// MARK: - Stages

extension NightlyRun {
  /// The texts of alarms and crossed thresholds, for the pages and the status.
  private var alarms: [String] { messages.filter { $0.kind != .problem }.map(\.text) }

  /// Runs the stages `report`, `alerts` and `page`. Returns whether all files could be written.
  private mutating func report(from store: StoreReader, _ catalog: FlowCatalog) -> Bool {
    let settings = settings
    let reports = reports
    let monitor = monitor
    var found: NightlyRunNumbers?
    let isReported = stages.run(.report) { (problems) throws(FunnelError) in
      let numbers = try NightlyRunNumbers(
        of: store.tolerating(), catalog: catalog, days: settings.days,
        missed: try reports.missedDays(before: settings.days.last),
        countsByDay: settings.database != nil, threads: settings.threads)
      monitor.note(numbers.notes)
      try reports.write(numbers)
      found = numbers
      if let damage = numbers.damage { problems.add(DamagedLog.error(damage, store: settings.storePath)) }
    }
    numbers = found
    // Before the pages, which show the alarms.
    check(catalog)
    guard let found else {
      stages.skip(.page, because: Self.withoutNumbers)
      return false
    }
    let alarms = alarms
    let isShown = stages.run(.page) { (_) throws(FunnelError) in
      try reports.writePages(found, flows: catalog.definitions, alarms: alarms)
    }
    return isReported && isShown
  }

  /// The reason for which stages that need the numbers are skipped.
  private static let withoutNumbers = "there are no numbers because the report failed"

  /// Runs the stage `alerts`.
  private mutating func check(_ catalog: FlowCatalog) {
    guard let path = settings.alerts else { return }
    guard let numbers else { return stages.skip(.alerts, because: Self.withoutNumbers) }
    var alerts: [Alert] = []
    stages.run(.alerts) { (_) throws(FunnelError) in
      alerts = try AlertCheck(try AlertFile.read(path), catalog: catalog).alerts(numbers.recent)
    }
    // Alerts are about the product, so they precede the thresholds, which are about the run.
    messages.insert(contentsOf: alerts.map { NightlyRunMessage(.alert, rule: $0.rule, $0.text) }, at: 0)
  }

  /// Runs the stage `database`.
  private mutating func fillDatabase(from store: StoreReader, _ catalog: FlowCatalog) {
    guard let path = settings.database else { return }
    guard let report = numbers?.byDay else { return stages.skip(.database, because: Self.withoutNumbers) }
    guard numbers?.damage == nil else {
      return stages.skip(.database, because: "the log is damaged, so wrong numbers would be written")
    }
    let settings = settings
    let started = started
    let messages = messages
    let outcome = outcome
    var restated: Int?
    stages.run(.database) { (_) throws(FunnelError) in
      let numbers = DatabaseNumbers(
        store: store, catalog: catalog, days: settings.days, dayCount: settings.databaseDays, threads: settings.threads)
      restated = try numbers.write(
        report, to: path, started: started,
        counts: [
          "files_done": outcome.filesDone, "files_failed": outcome.filesFailed, "lines": outcome.lines,
          "accepted": outcome.accepted, "duplicates": outcome.duplicates, "rejected": outcome.rejected,
          "unclaimed": outcome.unclaimed, "events_in_store": store.eventCount,
        ], messages: messages.json)
    }
    self.restated = restated
  }

  /// Runs the stage `states`.
  private mutating func keepStates(of store: StoreReader, _ catalog: FlowCatalog) {
    guard let folder = settings.states else { return }
    guard let numbers else { return stages.skip(.states, because: Self.withoutNumbers) }
    guard numbers.damage == nil else {
      return stages.skip(.states, because: "the log is damaged, so events would be missing from the states")
    }
    let states = DayStates(
      folder: StoragePath(folder), store: store, catalog: catalog, days: settings.days, dayCount: settings.databaseDays,
      threads: settings.threads)
    stages.run(.states) { (_) throws(FunnelError) in try states.write(of: numbers.recent.map(\.flow)) }
  }

  /// Runs the stage `compact`. It is optional: a failure is printed but does not affect the exit code.
  private mutating func compact(_ writer: StoreWriter) {
    var failure: String?
    var count = 0
    let monitor = monitor
    let threads = settings.threads
    let now = settings.days.now
    stages.runOptional(.compact) { () throws(FunnelError) in
      count = try LogCompaction(threads: threads, now: now).run(on: writer, monitor: monitor).days.count
    } onFailure: {
      failure = "the log was not compacted, everything else succeeded: \($0)"
    }
    daysCompacted = count
    if let failure { monitor.note(failure) }
  }

  /// Runs the stage `retention`.
  private mutating func retain(
    _ writer: StoreWriter, _ retention: NightlyRetention, isReported: Bool, _ inbox: InboxState
  ) {
    let settings = settings
    var report: RetentionReport?
    var cleared: Int?
    var reasonToWait: String?
    let monitor = monitor
    stages.run(.retention) { (problems) throws(FunnelError) in
      if let reason = retention.reasonToWait(isReported: isReported, isInboxClear: inbox.isClear) {
        reasonToWait = reason
        return
      }
      report = retention.run(on: writer, monitor: monitor, &problems)
      cleared = report == nil ? nil : retention.clearDone(of: settings.inbox, &problems)
    }
    if let reasonToWait {
      monitor.note("no event was dropped because \(reasonToWait); the next run tries again")
      stages.replaceLast(by: .retention, skippedBecause: reasonToWait)
    }
    self.retention = report
    doneCleared = cleared
  }

  /// Writes the metrics and the status of the earlier stages, and sends the notification.
  private mutating func finish() {
    let status = NightlyRunStatus(folder: reports.root)
    let before = status.lastSuccess()
    let finished = WallClock.now()
    if let path = settings.metrics {
      let metrics = NightlyRunMetrics(
        lastSuccess: stages.problems.code == nil ? finished : before, lastRun: finished, seconds: clock.secondsSince,
        events: eventsInStore,
        lines: ["accepted": outcome.accepted, "duplicates": outcome.duplicates, "rejected": outcome.rejected],
        rejected: RejectionReason.allCases.map { ($0.rawValue, outcome.rejectedByReason[$0] ?? 0) },
        flows: numbers?.recent ?? [])
      stages.run(.metrics) { (_) throws(FunnelError) in
        try AtomicFile.write(StoragePath(path), Array(metrics.text.utf8), permissions: .shared)
      }
    }
    messages += stages.problems.messages.map { NightlyRunMessage(.problem, $0) }
    // The status must not wait for a command of the user. It is written again with the outcome of the command.
    let isWritten = writeStatus(status, finished, lastSuccess: before)
    guard let command = settings.notify, !messages.isEmpty else { return }
    notify(command)
    if isWritten { writeStatus(status, finished, lastSuccess: before) }
  }

  /// Writes the status file. Returns whether it succeeded.
  @discardableResult
  private mutating func writeStatus(_ status: NightlyRunStatus, _ finished: Timestamp, lastSuccess before: Timestamp?) -> Bool {
    let lastSuccess = stages.problems.code == nil ? finished : before
    let stages = stages
    let alarms = alarms
    let asOf = settings.days.now
    return self.stages.problems.tolerating { () throws(FunnelError) in
      try status.write(stages, alarms: alarms, asOf: asOf, lastRun: finished, lastSuccess: lastSuccess)
    }
  }

  /// Runs the stage `notify`.
  private mutating func notify(_ command: String) {
    let notification = Notification(
      command: command, messages: messages, asOf: settings.days.now, store: settings.storePath)
    var failure: String?
    stages.runOptional(.notify) { () throws(FunnelError) in
      try notification.send()
    } onFailure: {
      failure = $0
    }
    // A failed notification, for example of a chat that is down, must not fail the run.
    if let failure { monitor.note(failure) }
  }
}

/// The state of the stage `ingest`.
private struct InboxState {
  private(set) var outcome = NightlyOutcome()
  /// Whether no ingested file is still in the inbox.
  private(set) var isClear = false
  /// The flow versions whose definitions this run added to the store.
  private(set) var remembered: [String] = []

  /// Ingests the inbox.
  mutating func take(
    _ settings: NightlyRunSettings, into writer: StoreWriter, _ catalog: FlowCatalog, _ problems: inout NightlyProblems,
    _ monitor: any OperationMonitor
  ) throws(FunnelError) {
    var ingest = NightlyIngest(
      inbox: settings.inbox, writer: writer, catalog: catalog,
      options: Ingestor.Options(decoding: try settings.ingest.decoding(for: writer), threads: settings.threads),
      settling: settings.settling, problems: problems, monitor: monitor)
    defer {
      outcome = ingest.outcome
      problems = ingest.problems
    }
    do {
      try ingest.run()
    } catch let error as FunnelError {
      throw error
    } catch {
      throw FunnelError(.inputOutput, "the inbox was not ingested, \(settings.inbox.root), \(error), run the command again")
    }
    isClear = !ingest.hasUnmovedFiles
    _ = ingest.problems.tolerating { () throws(FunnelError) in
      remembered = try StoreDefinitions.remember(catalog, in: writer)
    }
  }
}
