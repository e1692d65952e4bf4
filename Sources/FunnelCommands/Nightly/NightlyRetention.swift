import FunnelStore
import FunnelModel

/// Drops, at the end of a nightly run, the data whose retention by its flows has ended.
///
/// It runs last, so that the night's reports still count the dropped events. Unlike a compaction, a retention may be promised to others,
/// so its failure determines the exit code.
struct NightlyRetention {
  private let run: RetentionOperation
  /// The first instant that any flow keeps events of: a file moved to `done` before it holds no event that must be kept there.
  private let start: Timestamp

  /// Creates the retention of a night.
  ///
  /// - Throws: `usage` if no flow defines how long its events are kept.
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

  /// Returns what would be dropped of a store as it is now, in one line.
  func preview(of store: StoreReader) throws(FunnelError) -> String { try run.rehearse(on: store).line }

  /// Returns why nothing may be dropped tonight, or nil if it may.
  ///
  /// The reports are to count the dropped events once more. And if files that were ingested were still in the inbox, the next night would
  /// accept their dropped events as new and count them twice.
  func reasonToWait(isReported: Bool, isInboxClear: Bool) -> String? {
    if !isInboxClear { return "some ingested files are still in the inbox" }
    return isReported ? nil : "the reports that should count its events were not written"
  }

  /// Drops the data, and returns the report, or nil if it failed.
  func run(on writer: StoreWriter, _ problems: inout NightlyProblems) -> RetentionReport? {
    do throws(FunnelError) {
      return try run.apply(on: writer)
    } catch {
      problems.add(
        FunnelError(error.code, "some old events were not dropped, the next run tries again: \(error.message)"))
      return nil
    }
  }

  /// Removes the files that have been in `done` longer than any flow keeps its events, and returns their number, or nil if some could not
  /// be removed.
  ///
  /// If they stayed, the events dropped from the store would still exist there in their original form.
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
