import FunnelDecoding
import FunnelSequences
import FunnelIndex
import FunnelIngest
package import FunnelModel
import FunnelReports
package import FunnelStore

extension Retention {
  /// Returns the snapshots of the days whose events will be dropped. Skips days whose snapshots would be dropped as well.
  ///
  /// - Parameter now: The time of the retention, which is the time of the reports in the snapshots.
  package func snapshots(
    of plan: Plan, in store: StoreReader, at now: Timestamp, threads: Int
  ) throws(FunnelError) -> [CivilDate: RecordBatch] {
    let days = plan.days.filter { day in cut.snapshots.map { $0 <= day } ?? true }
    guard !days.isEmpty else { return [:] }
    let all = Set(catalog.definitions.indices)
    return try IndexOrLog.withSequences(
      of: store, catalog: catalog, query: ReportQuery(now: now), flows: all, threads: threads
    ) { (sequences) throws(FunnelError) in
      var snapshots: [CivilDate: RecordBatch] = [:]
      for day in days {
        // A flow version gets one snapshot of a day: when the first of its events are dropped. Later it would lack
        // those events.
        let counted = try flowsCountedInPart(on: day, in: store)
        let whole = plan.flowsDroppedEntirely(on: day) ?? all
        let inPart = plan.flowsDroppedPartly(on: day)
        var lines = RecordBatch()
        for (flows, isPartial) in [(whole, false), (inPart, true)] {
          let line = try snapshot(
            of: day, flows.subtracting(counted), isPartial: isPartial, sequences, at: now, threads: threads)
          if let line { lines.append(line.utf8, timestamp: day.midnight) }
        }
        if !lines.isEmpty { snapshots[day] = lines }
      }
      return snapshots
    }.result
  }

  /// Returns the flow versions of which the store has a snapshot of a day that was made when only some of their
  /// events were dropped.
  private func flowsCountedInPart(on day: CivilDate, in store: StoreReader) throws(FunnelError) -> Set<Int> {
    var counted: Set<String> = []
    for member in try store.members(of: .snapshots) where member.logFile.day == day {
      for line in try store.read(member).split(separator: UInt8(ascii: "\n")) {
        counted.formUnion(SnapshotLine.flowsCountedInPart(Array(line)))
      }
    }
    return Set(catalog.definitions.indices.filter { counted.contains(catalog.definitions[$0].reference) })
  }

  /// Returns the snapshot of a day, as a line without its line feed, or `nil` if there are no flow versions or
  /// there is nothing to store.
  private func snapshot(
    of day: CivilDate, _ flows: Set<Int>, isPartial: Bool, _ sequences: some SequenceSource, at now: Timestamp, threads: Int
  ) throws(FunnelError) -> String? {
    guard !flows.isEmpty else { return nil }
    var query = ReportQuery(now: now)
    query.since = day.midnight
    query.until = CivilDate(daysSinceEpoch: day.daysSinceEpoch + 1).midnight
    let report = try Report(
      of: sequences, catalog: catalog, flows: flows, query: query, selection: .standard, threads: threads)
    return SnapshotLine.text(report, day: day, at: now, isPartial: isPartial)
  }
}
