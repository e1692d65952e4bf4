import FunnelIngest
import FunnelJourneys
import FunnelLog
import FunnelModel
import FunnelProjections
import FunnelReports

/// A retention.
struct RetentionRun {
  var spans: RetentionSpans
  var catalog: FlowCatalog
  var now: Timestamp
  var threads: Int

  /// Says what would go of a store, and changes nothing.
  func rehearse(on store: StoreReader) throws(FunnelError) -> RetentionReport {
    let cut = try spans.cut(at: now, catalog: catalog)
    let findings = try Retention(cut, catalog: catalog).findings(in: store, threads: threads)
    let snapshots = try snapshots(of: findings, cut, in: store)
    return RetentionReport(
      findings: findings, snapshotCount: snapshots.count, commit: nil, eventsInStore: store.eventCount - findings.events,
      storePath: store.path, isDryRun: true)
  }

  /// Lets go.
  func carryOut(on writer: StoreWriter) throws(FunnelError) -> RetentionReport {
    let cut = try spans.cut(at: now, catalog: catalog)
    let retention = Retention(cut, catalog: catalog)
    let findings = try retention.findings(in: writer.reader, threads: threads)
    let snapshots = try snapshots(of: findings, cut, in: writer.reader)
    let commit = try StoreIndex.removed(of: writer, if: findings.events > 0, threads: threads) { () throws(FunnelError) in
      try retention.commit(findings, snapshots: snapshots, to: writer, at: now)
    }
    return RetentionReport(
      findings: findings, snapshotCount: snapshots.count, commit: commit?.number, eventsInStore: writer.reader.eventCount,
      storePath: writer.reader.path, isDryRun: false)
  }

  /// What is counted of the days that go; nothing of a day whose snapshot would go at once.
  private func snapshots(
    of findings: Retention.Findings, _ cut: Retention.Cut, in store: StoreReader
  ) throws(FunnelError) -> [CivilDate: RecordBatch] {
    let days = findings.days.filter { day in cut.snapshots.map { $0 <= day } ?? true }
    guard !days.isEmpty else { return [:] }
    let all = Set(catalog.definitions.indices)
    return try StoreHistories.with(
      of: store, catalog: catalog, query: ReportQuery(now: now), flows: all, threads: threads, progress: { _ in }
    ) { (histories) throws(FunnelError) in
      var snapshots: [CivilDate: RecordBatch] = [:]
      for day in days { snapshots[day] = try snapshot(of: day, cut, histories) }
      return snapshots
    }
  }

  private func snapshot(
    of day: CivilDate, _ cut: Retention.Cut, _ histories: some HistorySource
  ) throws(FunnelError) -> RecordBatch? {
    var query = ReportQuery(now: now)
    query.since = day.midnight
    query.until = CivilDate(daysSinceEpoch: day.daysSinceEpoch + 1).midnight
    let report = try ReportFold.report(
      from: histories, catalog: catalog, flows: cut.flows(goingOn: day, of: catalog.definitions.count), query: query,
      selection: .all, threads: threads)
    guard let text = SnapshotLine.text(report, day: day, at: now) else { return nil }
    var lines = RecordBatch()
    lines.append(text.utf8, timestamp: day.midnight)
    return lines
  }
}
