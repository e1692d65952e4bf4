import FunnelKit
import FunnelStore
import FunnelModel

/// The retention stage of a nightly run: drops events that are older than their flows allow.
///
/// The stage runs after the reports, which still count the dropped events. Retention may be a legal obligation,
/// so unlike that of a compaction, its failure determines the exit code.
struct NightlyRetention {
  private let run: RetentionOperation
  /// The earliest time of which any flow keeps events. Files moved to `done` before it are removed.
  private let start: Timestamp

  /// Creates the retention stage.
  ///
  /// - Throws: `usage` if no flow defines a retention period.
  init(catalog: FlowCatalog, now: Timestamp, threads: Int) throws(FunnelError) {
    guard let longest = catalog.definitions.compactMap(\.retention?.events).max() else {
      throw FunnelError(
        .usage,
        "no flow says how long its events are kept, --retain, add \"retention\" to a flow's definition or use 'funnel retain'"
      )
    }
    run = RetentionOperation(spans: RetentionSpans(), catalog: catalog, now: now, threads: threads)
    start = Timestamp(milliseconds: now.milliseconds - longest.milliseconds).day.midnight
  }

  /// Returns a line on what would be dropped from a store in its current state.
  func preview(of store: StoreReader) throws(FunnelError) -> String { try run.preview(on: store).line }

  /// Returns the reason why this run must not drop events, or `nil` if it may.
  ///
  /// - Parameters:
  ///   - isReported: Whether the reports were written.
  ///   - isInboxClear: Whether no ingested file is still in the inbox.
  func reasonToWait(isReported: Bool, isInboxClear: Bool) -> String? {
    // The next run would ingest such files again, and count their dropped events a second time.
    if !isInboxClear { return "some ingested files are still in the inbox" }
    // The reports must count the events once more before they are dropped.
    return isReported ? nil : "the reports that should count its events were not written"
  }

  /// Drops the events. Returns the report, or `nil` if it failed.
  func run(on writer: StoreWriter, monitor: some OperationMonitor, _ problems: inout NightlyProblems) -> RetentionReport? {
    do throws(FunnelError) {
      return try run.apply(on: writer, monitor: monitor)
    } catch {
      problems.add(
        FunnelError(error.code, "some old events were not dropped, the next run tries again: \(error.message)"))
      return nil
    }
  }

  /// Removes files that have been in `done` longer than any flow keeps its events, because they contain the
  /// dropped events.
  ///
  /// Returns the number of removed files, or `nil` if some could not be removed.
  func clearDone(of inbox: NightlyInbox, _ problems: inout NightlyProblems) -> Int? {
    do throws(FunnelError) {
      return try inbox.clearDone(before: start)
    } catch {
      problems.add(
        FunnelError(
          error.code, "some old files in done/ were not deleted, the next run tries again: \(error.message)"))
      return nil
    }
  }
}
