import FunnelKit
import FunnelMaintenance
import FunnelModel
import FunnelReports
import FunnelSchemas
import FunnelStore
import FunnelSystem

extension NightlyRun {
  /// The store of a run, open for writing.
  struct OpenStore {
    let writer: StoreWriter
    let catalog: FlowCatalog
    /// The retention, or `nil` if it is not requested.
    let retention: NightlyRetention?
  }

  /// Runs the stage `ingest`. Returns the store if it could be opened, and the ingest if it began.
  mutating func takeInbox() -> (store: OpenStore?, ingest: NightlyIngest?) {
    let settings = settings
    let monitor = monitor
    var opened: OpenStore?
    var last: NightlyIngest?
    _ = stages.run(.ingest) { (problems) throws(FunnelError) in
      try settings.inbox.requireApart(store: settings.storePath, out: settings.out)
      let (writer, catalog) = try settings.ingest.openWriter(monitor: monitor)
      // This throws if no flow has a retention period, so it comes before the ingest.
      let retention =
        settings.retains
        ? try NightlyRetention(catalog: catalog, now: settings.days.now, threads: settings.threads) : nil
      opened = OpenStore(writer: writer, catalog: catalog, retention: retention)
      var ingest = try NightlyIngest(settings, into: writer, catalog, problems: problems, monitor: monitor)
      defer {
        last = ingest
        problems = ingest.problems
      }
      try ingest.run()
    }
    return (opened, last)
  }

  /// Runs the stage `compact`. It is optional: a failure is printed but does not affect the exit code.
  mutating func compact(_ writer: StoreWriter) {
    let compaction = LogCompaction(threads: settings.threads, now: settings.days.now)
    let monitor = monitor
    switch stages.runOptional(.compact, { () throws(FunnelError) in try compaction.run(on: writer, monitor: monitor) }) {
    case .success(let summary): daysCompacted = summary.days.count
    case .failure(let error):
      monitor.note("the log was not compacted, everything else succeeded: \(error.message)")
    }
  }

  /// The reason for which stages that need the numbers are skipped.
  private static let withoutNumbers = "there are no numbers because the report failed"

  /// Runs the stages `report`, `alerts` and `page`. Returns whether all files could be written.
  mutating func report(from store: StoreReader, _ catalog: FlowCatalog) -> Bool {
    let settings = settings
    let reports = reports
    let monitor = monitor
    var computed: NightlyRunNumbers?
    let isReported: Void? = stages.run(.report) { (problems) throws(FunnelError) in
      let numbers = try NightlyRunNumbers(
        of: store.tolerating(), catalog: catalog, days: settings.days,
        missed: try reports.missedDays(before: settings.days.last),
        countsByDay: settings.database != nil, threads: settings.threads)
      monitor.note(numbers.notes)
      try reports.write(numbers)
      computed = numbers
      if let damage = numbers.damage { problems.add(DamagedLog.error(damage, store: settings.storePath)) }
    }
    numbers = computed
    // Before the pages, which show the alarms.
    checkAlerts(catalog)
    guard let computed else {
      stages.skip(.page, because: Self.withoutNumbers)
      return false
    }
    let alarms = alarms
    let isShown: Void? = stages.run(.page) { (_) throws(FunnelError) in
      try reports.writePages(computed, flows: catalog.definitions, alarms: alarms)
    }
    return isReported != nil && isShown != nil
  }

  /// Runs the stage `alerts`.
  private mutating func checkAlerts(_ catalog: FlowCatalog) {
    guard let path = settings.alerts else { return }
    guard let numbers else { return stages.skip(.alerts, because: Self.withoutNumbers) }
    let alerts = stages.run(.alerts) { (_) throws(FunnelError) in
      try AlertCheck(try AlertFile.read(path), catalog: catalog).alerts(numbers.recent)
    }
    // Alerts are about the product, so they precede the thresholds, which are about the run.
    messages.insert(contentsOf: (alerts ?? []).map { NightlyRunMessage(.alert, rule: $0.rule, $0.text) }, at: 0)
  }

  /// Runs the stage `database`.
  mutating func fillDatabase(from store: StoreReader, _ catalog: FlowCatalog) {
    guard let path = settings.database else { return }
    guard let report = numbers?.byDay else { return stages.skip(.database, because: Self.withoutNumbers) }
    guard numbers?.damage == nil else {
      return stages.skip(.database, because: "the log is damaged, so wrong numbers would be written")
    }
    let database = DatabaseNumbers(
      store: store, catalog: catalog, days: settings.days, dayCount: settings.databaseDays, threads: settings.threads)
    let counts: KeyValuePairs = [
      "files_done": outcome.filesDone, "files_failed": outcome.filesFailed, "lines": outcome.lines,
      "accepted": outcome.accepted, "duplicates": outcome.duplicates, "rejected": outcome.rejected,
      "unclaimed": outcome.unclaimed, "events_in_store": store.eventCount,
    ]
    let started = started
    let messages = messages.json
    restated = stages.run(.database) { (_) throws(FunnelError) in
      try database.write(report, to: path, started: started, counts: counts, messages: messages)
    }
  }

  /// Runs the stage `states`.
  mutating func keepStates(of store: StoreReader, _ catalog: FlowCatalog) {
    guard let folder = settings.states else { return }
    guard let numbers else { return stages.skip(.states, because: Self.withoutNumbers) }
    guard numbers.damage == nil else {
      return stages.skip(.states, because: "the log is damaged, so events would be missing from the states")
    }
    let states = DayStates(
      folder: StoragePath(folder), store: store, catalog: catalog, days: settings.days, dayCount: settings.databaseDays,
      threads: settings.threads)
    _ = stages.run(.states) { (_) throws(FunnelError) in try states.write(of: numbers.recent.map(\.flow)) }
  }

  /// Runs the stage `retention`, or skips it if events must not be dropped yet.
  mutating func retain(_ writer: StoreWriter, _ retention: NightlyRetention, isReported: Bool, isInboxClear: Bool) {
    if let reason = retention.reasonToWait(isReported: isReported, isInboxClear: isInboxClear) {
      monitor.note("no event was dropped because \(reason); the next run tries again")
      return stages.skip(.retention, because: reason)
    }
    let inbox = settings.inbox
    let monitor = monitor
    var report: RetentionReport?
    var cleared: Int?
    _ = stages.run(.retention) { (problems) throws(FunnelError) in
      report = retention.run(on: writer, monitor: monitor, &problems)
      if report != nil { cleared = retention.clearDone(of: inbox, &problems) }
    }
    self.retention = report
    doneCleared = cleared
  }
}
