import FunnelLog
import FunnelModel

/// Lets go, at the end of a night, of what was kept as long as its flow says.
///
/// It comes last, so that the reports of the night count what goes. Unlike a compaction it is something the user promised somebody: where it
/// fails, the night ends with the code of that failure.
struct NightlyRetention {
  private let run: RetentionRun

  /// - Throws: `usage` where no flow says how long its events stay.
  init(catalog: FlowCatalog, now: Timestamp, threads: Int) throws(FunnelError) {
    guard catalog.definitions.contains(where: { $0.retention?.events != nil }) else {
      throw FunnelError(
        .usage,
        "no flow says how long its events stay, which --retain goes by, put \"retention\" into a flow's definition or use 'funnel retain'"
      )
    }
    run = RetentionRun(spans: try RetentionSpans(events: nil, snapshots: nil), catalog: catalog, now: now, threads: threads)
  }

  /// Lets go, and returns what that came to; nil where it could not be done, the reports were not written that are to count what goes, or
  /// files that were taken in lie in the inbox still: the next night would take their dropped events for new, and count them twice.
  func run(
    on writer: StoreWriter, isReported: Bool, isInboxClear: Bool, _ problems: inout NightlyProblems
  ) -> RetentionReport? {
    guard isInboxClear else {
      Console.complain("no event was dropped, files that were taken in lie in the inbox still; the next night tries again")
      return nil
    }
    guard isReported else {
      Console.complain("no event was dropped, the reports that are to count them were not written; the next night tries again")
      return nil
    }
    do throws(FunnelError) {
      return try run.carryOut(on: writer)
    } catch {
      problems.add(
        FunnelError(error.code, "not all was dropped that was kept long enough, the next night tries again: \(error.message)"))
      return nil
    }
  }
}
