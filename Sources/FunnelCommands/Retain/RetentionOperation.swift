import FunnelMaintenance
import FunnelModel
import FunnelStore

/// Drops the old data of a store, or reports what would be dropped.
struct RetentionOperation {
  var spans: RetentionSpans
  var catalog: FlowCatalog
  var now: Timestamp
  var threads: Int

  /// Returns what would be dropped from a store. Changes nothing.
  func rehearse(on store: StoreReader) throws(FunnelError) -> RetentionReport {
    let cut = try spans.cut(at: now, catalog: catalog)
    let retention = Retention(cut, catalog: catalog)
    let findings = try retention.findings(in: store, threads: threads)
    let snapshots = try retention.snapshots(of: findings, in: store, at: now, threads: threads)
    return RetentionReport(
      findings: findings, snapshotCount: snapshots.values.reduce(0) { $0 + $1.count }, commit: nil,
      eventsInStore: store.eventCount - findings.events,
      storePath: store.path, isDryRun: true)
  }

  /// Drops the data in one commit.
  func apply(on writer: StoreWriter) throws(FunnelError) -> RetentionReport {
    let cut = try spans.cut(at: now, catalog: catalog)
    let retention = Retention(cut, catalog: catalog)
    let findings = try retention.findings(in: writer.reader, threads: threads)
    let snapshots = try retention.snapshots(of: findings, in: writer.reader, at: now, threads: threads)
    let outcome = try retention.apply(findings, snapshots: snapshots, on: writer, at: now, threads: threads)
    Console.complain(aboutIndex: outcome.indexProblem)
    return RetentionReport(
      findings: findings, snapshotCount: snapshots.values.reduce(0) { $0 + $1.count }, commit: outcome.commit?.number,
      eventsInStore: writer.reader.eventCount,
      storePath: writer.reader.path, isDryRun: false)
  }
}
