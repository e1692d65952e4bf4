import FunnelIngest
import FunnelHistories
import FunnelIndex
import FunnelStore
import FunnelModel
import FunnelReports

/// A retention of a store's data.
struct RetentionRun {
  var spans: RetentionSpans
  var catalog: FlowCatalog
  var now: Timestamp
  var threads: Int

  /// Reports what would be dropped from a store, and changes nothing.
  func rehearse(on store: StoreReader) throws(FunnelError) -> RetentionReport {
    let cut = try spans.cut(at: now, catalog: catalog)
    let findings = try Retention(cut, catalog: catalog).findings(in: store, threads: threads)
    let snapshots = try snapshots(of: findings, cut, in: store)
    return RetentionReport(
      findings: findings, snapshotCount: snapshots.values.reduce(0) { $0 + $1.count }, commit: nil,
      eventsInStore: store.eventCount - findings.events,
      storePath: store.path, isDryRun: true)
  }

  /// Commits the retention, with the index removed beforehand and rebuilt afterwards if events are dropped.
  func carryOut(on writer: StoreWriter) throws(FunnelError) -> RetentionReport {
    let cut = try spans.cut(at: now, catalog: catalog)
    let retention = Retention(cut, catalog: catalog)
    let findings = try retention.findings(in: writer.reader, threads: threads)
    let snapshots = try snapshots(of: findings, cut, in: writer.reader)
    let commit = try StoreIndex.removed(of: writer, if: findings.events > 0, threads: threads) { () throws(FunnelError) in
      try retention.commit(findings, snapshots: snapshots, to: writer, at: now)
    }
    return RetentionReport(
      findings: findings, snapshotCount: snapshots.values.reduce(0) { $0 + $1.count }, commit: commit?.number,
      eventsInStore: writer.reader.eventCount,
      storePath: writer.reader.path, isDryRun: false)
  }

  /// Returns the snapshots of the days on which events are dropped, except days whose snapshots would be dropped at once.
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
      for day in days {
        // Flows that were counted when the first of their events of the day were dropped are not counted again for the rest.
        let counted = try flowsCountedInPart(on: day, in: store)
        let whole = findings.flowsGoingWhole(on: day) ?? all
        let inPart = findings.flowsGoingInPart(on: day)
        var lines = RecordBatch()
        for (flows, isPartial) in [(whole, false), (inPart, true)] {
          let line = try snapshot(of: day, flows.subtracting(counted), isPartial: isPartial, histories)
          if let line { lines.append(line.utf8, timestamp: day.midnight) }
        }
        if !lines.isEmpty { snapshots[day] = lines }
      }
      return snapshots
    }
  }

  /// Returns the flow versions of which the store has a snapshot of a day that was taken when only some of their events were dropped.
  private func flowsCountedInPart(on day: CivilDate, in store: StoreReader) throws(FunnelError) -> Set<Int> {
    var counted: Set<String> = []
    for member in try store.members(of: .snapshots) where member.part.day == day {
      for line in try store.read(member).split(separator: UInt8(ascii: "\n")) {
        counted.formUnion(SnapshotLine.flowsCountedInPart(Array(line)))
      }
    }
    return Set(catalog.definitions.indices.filter { counted.contains(catalog.definitions[$0].reference) })
  }

  private func snapshot(
    of day: CivilDate, _ flows: Set<Int>, isPartial: Bool, _ histories: some HistorySource
  ) throws(FunnelError) -> String? {
    guard !flows.isEmpty else { return nil }
    var query = ReportQuery(now: now)
    query.since = day.midnight
    query.until = CivilDate(daysSinceEpoch: day.daysSinceEpoch + 1).midnight
    let report = try Report(
      of: histories, catalog: catalog, flows: flows, query: query, selection: .all, threads: threads)
    return SnapshotLine.text(report, day: day, at: now, isPartial: isPartial)
  }
}
