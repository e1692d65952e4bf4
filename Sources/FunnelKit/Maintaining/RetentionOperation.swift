import FunnelMaintenance
package import FunnelModel
package import FunnelStore

/// Drops the old data of a store, or reports what would be dropped.
package struct RetentionOperation {
  private let spans: RetentionSpans
  private let catalog: FlowCatalog
  private let now: Timestamp
  private let threads: Int

  package init(spans: RetentionSpans, catalog: FlowCatalog, now: Timestamp, threads: Int) {
    precondition(threads > 0, "a retention needs a thread")
    self.spans = spans
    self.catalog = catalog
    self.now = now
    self.threads = threads
  }

  /// The data to drop, and the snapshots of its numbers to save.
  private struct Findings {
    let retention: Retention
    let plan: Retention.Plan
    let snapshots: [CivilDate: RecordBatch]

    var snapshotCount: Int { snapshots.values.reduce(0) { $0 + $1.count } }
  }

  private func findings(in store: StoreReader) throws(FunnelError) -> Findings {
    let retention = Retention(try spans.cut(at: now, catalog: catalog), catalog: catalog)
    let plan = try retention.plan(in: store, threads: threads)
    let snapshots = try retention.snapshots(of: plan, in: store, at: now, threads: threads)
    return Findings(retention: retention, plan: plan, snapshots: snapshots)
  }

  /// Returns what would be dropped from a store. Changes nothing.
  package func preview(on store: StoreReader) throws(FunnelError) -> RetentionReport {
    let found = try findings(in: store)
    return RetentionReport(
      plan: found.plan, snapshotCount: found.snapshotCount, commit: nil, eventsInStore: store.eventCount - found.plan.events,
      storePath: store.path, isDryRun: true)
  }

  /// Drops the data in one commit.
  package func apply(on writer: StoreWriter, monitor: some OperationMonitor) throws(FunnelError) -> RetentionReport {
    let found = try findings(in: writer.reader)
    let outcome = try found.retention.apply(found.plan, snapshots: found.snapshots, on: writer, at: now, threads: threads)
    monitor.noteIndexProblem(outcome.indexProblem)
    return RetentionReport(
      plan: found.plan, snapshotCount: found.snapshotCount, commit: outcome.commit?.number,
      eventsInStore: writer.reader.eventCount, storePath: writer.reader.path, isDryRun: false)
  }
}
