import FunnelMaintenance
package import FunnelModel
package import FunnelStore

/// Drops the old data of a store, or reports what would be dropped.
package struct RetentionOperation {
  package var spans: RetentionSpans
  package var catalog: FlowCatalog
  package var now: Timestamp
  package var threads: Int

  package init(spans: RetentionSpans, catalog: FlowCatalog, now: Timestamp, threads: Int) {
    precondition(threads > 0, "a retention needs a thread")
    self.spans = spans
    self.catalog = catalog
    self.now = now
    self.threads = threads
  }

  /// Returns what would be dropped from a store. Changes nothing.
  package func preview(on store: StoreReader) throws(FunnelError) -> RetentionReport {
    let cut = try spans.cut(at: now, catalog: catalog)
    let retention = Retention(cut, catalog: catalog)
    let plan = try retention.plan(in: store, threads: threads)
    let snapshots = try retention.snapshots(of: plan, in: store, at: now, threads: threads)
    return RetentionReport(
      plan: plan, snapshotCount: snapshots.values.reduce(0) { $0 + $1.count }, commit: nil,
      eventsInStore: store.eventCount - plan.events,
      storePath: store.path, isDryRun: true)
  }

  /// Drops the data in one commit.
  package func apply(on writer: StoreWriter, monitor: some OperationMonitor) throws(FunnelError) -> RetentionReport {
    let cut = try spans.cut(at: now, catalog: catalog)
    let retention = Retention(cut, catalog: catalog)
    let plan = try retention.plan(in: writer.reader, threads: threads)
    let snapshots = try retention.snapshots(of: plan, in: writer.reader, at: now, threads: threads)
    let outcome = try retention.apply(plan, snapshots: snapshots, on: writer, at: now, threads: threads)
    monitor.noteIndexProblem(outcome.indexProblem)
    return RetentionReport(
      plan: plan, snapshotCount: snapshots.values.reduce(0) { $0 + $1.count }, commit: outcome.commit?.number,
      eventsInStore: writer.reader.eventCount,
      storePath: writer.reader.path, isDryRun: false)
  }
}
