import FunnelIngest
import FunnelMaintenance
import FunnelModel
import FunnelReports
import FunnelSchemas
import FunnelStore
import FunnelSystem

/// One night: what arrived is taken in, counted, shown, watched and tidied up, in stages of which each can fail alone.
///
/// Nothing depends on a night having come to its end: a killed one is made good by the next, whatever it had done.
struct NightlyRun {
  let settings: NightlyRunSettings
  let reports: NightlyReports
  var stages = NightlyRunStages()
  /// What somebody should read: alarms and crossed thresholds; problems are added at the end.
  var messages: [NightlyRunMessage] = []
  private var outcome = NightlyOutcome()
  private var numbers: NightlyRunNumbers?
  private var restated: Int?
  private var daysCompacted = 0
  private var retention: RetentionReport?
  private var doneCleared: Int?
  private var eventsInStore: Int?
  private let started = ClockOption.clock()
  private let clock = ContinuousClock.now

  init(_ settings: NightlyRunSettings, reports: NightlyReports) {
    self.settings = settings
    self.reports = reports
  }

  /// Runs all stages, and returns what came of the night; nil if the store could not be opened.
  mutating func run() -> NightlySummary? {
    // The writer holds the store's lock until the last stage that changes it: another command waits.
    var opened: (writer: StoreWriter, catalog: FlowCatalog)?
    var inbox = InboxState()
    var retaining: NightlyRetention?
    let settings = settings
    stages.run(.ingest) { (problems) throws(FunnelError) in
      try settings.inbox.requireApart(store: settings.storePath, out: settings.out)
      let (writer, catalog) = try settings.ingest.openWriter()
      // Said before anything is taken in.
      if settings.retains {
        retaining = try NightlyRetention(catalog: catalog, now: settings.days.now, threads: settings.threads)
      }
      opened = (writer, catalog)
      try inbox.take(settings, into: writer, catalog, &problems)
    }
    outcome = inbox.outcome
    Console.notes(
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
    for message in messages { Console.complain(message.text) }
    finish()
    guard let eventsInStore else { return nil }
    return NightlySummary(
      outcome: outcome, now: settings.days.now, day: settings.days.last,
      reports: numbers == nil ? nil : reports.folder(of: settings.days.last).description, daysCompacted: daysCompacted,
      retention: retention, doneCleared: doneCleared, eventsInStore: eventsInStore, remembered: inbox.remembered,
      restated: restated,
      messages: messages.filter { $0.kind != .problem }, stages: stages.records)
  }

  private func unclaimedLines(of catalog: FlowCatalog?) -> [String] {
    guard let catalog else { return [] }
    return FlowNotes.unclaimedLines(
      outcome.unclaimedNames, total: outcome.unclaimed, of: outcome.accepted, advisedBy: catalog)
  }

  /// Removes what a killed night left half written. The metrics' folder is shared with other programs: only the file's own go.
  private mutating func removeStaleFiles() {
    let (settings, reports) = (settings, reports)
    _ = stages.problems.tolerating { () throws(FunnelError) in
      try reports.removeStaleFiles()
      if let path = settings.metrics {
        try AtomicFile.removeTemporaries(of: StoragePath(path), fileSystem: LocalFileSystem())
      }
    }
  }

  /// Whether an alarm was raised or a threshold crossed.
  var isCrossed: Bool { messages.contains { $0.kind != .problem } }
}

// MARK: - Stages

extension NightlyRun {
  /// The sentences of alarms and crossed thresholds: the pages and the status say them in the same words.
  private var alarms: [String] { messages.filter { $0.kind != .problem }.map(\.text) }

  /// Computes the numbers, holds them against the rules, and writes reports and pages. Returns whether all files could be written.
  private mutating func report(from store: StoreReader, _ catalog: FlowCatalog) -> Bool {
    let (settings, reports) = (settings, reports)
    var found: NightlyRunNumbers?
    let isReported = stages.run(.report) { (problems) throws(FunnelError) in
      let numbers = try NightlyRunNumbers(
        of: store.tolerating(), catalog: catalog, days: settings.days,
        missed: try reports.missedDays(before: settings.days.last),
        countsByDay: settings.database != nil, threads: settings.threads)
      Console.notes(numbers.notes)
      try reports.write(numbers)
      found = numbers
      if let damage = numbers.damage { problems.add(DamagedLog.error(damage, store: settings.storePath)) }
    }
    numbers = found
    // Before the pages, on which alarms stand first.
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

  private static let withoutNumbers = "there are no numbers because the report failed"

  private mutating func check(_ catalog: FlowCatalog) {
    guard let path = settings.alerts else { return }
    guard let numbers else { return stages.skip(.alerts, because: Self.withoutNumbers) }
    var alerts: [Alert] = []
    stages.run(.alerts) { (_) throws(FunnelError) in
      alerts = try AlertCheck(try AlertFile.read(path), catalog: catalog).alerts(numbers.recent)
    }
    // Before the thresholds, which are about the night and not about the product.
    messages.insert(contentsOf: alerts.map { NightlyRunMessage(.alert, rule: $0.rule, $0.text) }, at: 0)
  }

  private mutating func fillDatabase(from store: StoreReader, _ catalog: FlowCatalog) {
    guard let path = settings.database else { return }
    guard let report = numbers?.byDay else { return stages.skip(.database, because: Self.withoutNumbers) }
    guard numbers?.damage == nil else {
      return stages.skip(.database, because: "the log is damaged, so wrong numbers would be written")
    }
    let (settings, started, messages, outcome) = (settings, started, messages, outcome)
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

  /// Compacts the completed days. Compaction is optional, so a failure is only told, and the next night tries again.
  private mutating func compact(_ writer: StoreWriter) {
    var failure: String?
    var count = 0
    let (threads, now) = (settings.threads, settings.days.now)
    stages.runOptional(.compact) { () throws(FunnelError) in
      count = try LogCompaction(threads: threads, now: now).run(on: writer).days.count
    } onFailure: {
      failure = "the log was not compacted, everything else succeeded: \($0)"
    }
    daysCompacted = count
    if let failure { Console.complain(failure) }
  }

  private mutating func retain(
    _ writer: StoreWriter, _ retention: NightlyRetention, isReported: Bool, _ inbox: InboxState
  ) {
    let settings = settings
    var (report, cleared): (RetentionReport?, Int?)
    var reasonToWait: String?
    stages.run(.retention) { (problems) throws(FunnelError) in
      if let reason = retention.reasonToWait(isReported: isReported, isInboxClear: inbox.isClear) {
        reasonToWait = reason
        return
      }
      report = retention.run(on: writer, &problems)
      cleared = report == nil ? nil : retention.clearDone(of: settings.inbox, &problems)
    }
    if let reasonToWait {
      Console.complain("no event was dropped because \(reasonToWait); the next run tries again")
      stages.replaceLast(by: .retention, skippedBecause: reasonToWait)
    }
    (self.retention, doneCleared) = (report, cleared)
  }

  /// Tells the machines: metrics, status, and whoever is to be notified. They tell of all stages before.
  private mutating func finish() {
    let status = NightlyRunStatus(folder: reports.root)
    let before = status.lastSuccess()
    let finished = ClockOption.clock()
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
    // The status does not wait for a command of the user's. It is written once more with the command's outcome.
    let isWritten = writeStatus(status, finished, lastSuccess: before)
    guard let command = settings.notify, !messages.isEmpty else { return }
    notify(command)
    if isWritten { writeStatus(status, finished, lastSuccess: before) }
  }

  /// Writes the status file. Returns whether it could be written.
  @discardableResult
  private mutating func writeStatus(_ status: NightlyRunStatus, _ finished: Timestamp, lastSuccess before: Timestamp?) -> Bool {
    let lastSuccess = stages.problems.code == nil ? finished : before
    let (stages, alarms, asOf) = (stages, alarms, settings.days.now)
    return self.stages.problems.tolerating { () throws(FunnelError) in
      try status.write(stages, alarms: alarms, asOf: asOf, lastRun: finished, lastSuccess: lastSuccess)
    }
  }

  private mutating func notify(_ command: String) {
    let notification = Notification(
      command: command, messages: messages, asOf: settings.days.now, store: settings.storePath)
    var failure: String?
    stages.runOptional(.notify) { () throws(FunnelError) in
      try notification.send()
    } onFailure: {
      failure = $0
    }
    // Nobody should miss a report because a chat was down.
    if let failure { Console.complain(failure) }
  }
}

/// What came of taking in what arrived.
private struct InboxState {
  private(set) var outcome = NightlyOutcome()
  /// Whether no file that was read is still in the inbox.
  private(set) var isClear = false
  /// The flow versions whose definitions were not in the store in this form.
  private(set) var remembered: [String] = []

  mutating func take(
    _ settings: NightlyRunSettings, into writer: StoreWriter, _ catalog: FlowCatalog, _ problems: inout NightlyProblems
  ) throws(FunnelError) {
    var night = NightlyIngest(
      inbox: settings.inbox, writer: writer, catalog: catalog,
      options: Ingestor.Options(decoding: try settings.ingest.decoding(for: writer), threads: settings.threads),
      settling: settings.settling)
    night.problems = problems
    defer {
      outcome = night.outcome
      problems = night.problems
    }
    do {
      try night.run()
    } catch let error as FunnelError {
      throw error
    } catch {
      throw FunnelError(.inputOutput, "the inbox was not ingested, \(settings.inbox.root), \(error), run the command again")
    }
    isClear = !night.hasUnmovedFiles
    _ = night.problems.tolerating { () throws(FunnelError) in
      remembered = try StoreDefinitions.remember(catalog, in: writer)
    }
  }
}
