import FunnelStore
import FunnelModel

/// Lets go, at the end of a night, of what was kept as long as its flow says.
///
/// It comes last, so that the reports of the night count what goes. Unlike a compaction it is something the user promised somebody: where it
/// fails, the night ends with the code of that failure.
struct NightlyRetention {
  private let run: RetentionRun
  /// The first instant of which a flow may still want events: all that was moved to `done` before holds nothing that is to be kept there.
  private let start: Timestamp

  /// - Throws: `usage` where no flow says how long its events stay.
  init(catalog: FlowCatalog, now: Timestamp, threads: Int) throws(FunnelError) {
    guard let longest = catalog.definitions.compactMap(\.retention?.events).max() else {
      throw FunnelError(
        .usage,
        "no flow says how long its events stay, which --retain goes by, put \"retention\" into a flow's definition or use 'funnel retain'"
      )
    }
    run = RetentionRun(spans: RetentionSpans(), catalog: catalog, now: now, threads: threads)
    start = Timestamp(milliseconds: now.milliseconds - longest.milliseconds).day.midnight
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

  /// Removes the files of `done` that have been there longer than any flow keeps its events, and returns how many; nil where not all could be removed.
  ///
  /// Where they stayed, all that was dropped from the store would still be there, as it came.
  func clearDone(of inbox: NightlyInbox, _ problems: inout NightlyProblems) -> Int? {
    do throws(FunnelError) {
      return try inbox.clearDone(before: start)
    } catch {
      problems.add(
        FunnelError(
          error.code, "not all files of done/ were removed that are old enough, the next night tries again: \(error.message)"))
      return nil
    }
  }
}
