package import FunnelModel
package import FunnelSystem

/// The repair of a damaged store: keeps all valid records, and moves the remaining data to `damaged/`.
///
///     let summary = try StoreRepair.run("funnel-store", checker: checker, at: now, lockTimeout: timeout)
///
/// - A damaged log file is rewritten in one commit of kind `repair`. Intact members are copied byte for byte; of
///   the others, the valid records are kept. Records under the wrong day move to their own day. Of duplicate
///   events, the first one stays. The new log file follows the other log files of its day, so the order within the
///   day may change.
/// - Bytes that are not a member, and invalid records, are first copied to files in `damaged/` named after their
///   log file and offset.
/// - Missing data can't be restored; the commit records the log file it belonged to.
/// - A journal that has a damaged line, lacks commits, or is lost is rebuilt (``JournalRebuild``); the old one is
///   copied to `damaged/`.
///
/// A repair may be interrupted at any point and run again. After a repair, ``StoreVerification`` finds no damage.
package enum StoreRepair {
  /// Data that was moved to the folder `damaged/`.
  package struct Aside: Hashable, Sendable {
    /// The path of the original file inside the store: a log file, or the journal.
    package var path: String
    /// The offset in that file, in bytes.
    package var offset: Int
    /// The length in bytes.
    package var bytes: Int
    /// The path of the new file inside the store.
    package var file: String
    /// The problem, as a clause.
    package var reason: String
  }

  /// The result of a repair or of its preview.
  package struct Summary: Hashable, Sendable {
    /// The damage that was found.
    package var findings: [StoreVerification.Finding] = []
    /// The data that was moved to `damaged/`.
    package var asides: [Aside] = []
    /// Whether the journal was rebuilt.
    package var isJournalNew = false
    /// The log files that were rewritten, or removed because nothing in them is valid.
    package var logFiles: [LogFileName] = []
    /// The number of events before the repair; with a damaged journal, the number found in the log files.
    package var eventsBefore = 0
    /// The number of events after the repair.
    package var eventsAfter = 0
    /// The numbers of the commits that were made.
    package var commits: [Int] = []
    /// A description of the remains of an unfinished commit that were removed, or `nil` if there were none.
    package var recovery: String?

    /// Whether the store needs no repair.
    package var isEmpty: Bool { findings.isEmpty && !isJournalNew }
  }

  /// Repairs a store.
  ///
  /// - Parameters:
  ///   - path: The path of the store.
  ///   - checker: The checker of the records.
  ///   - now: The time of the commits.
  ///   - lockTimeout: How long to wait for another writer to finish.
  ///   - threads: The maximum number of threads.
  ///   - isDryRun: Whether to only report what a repair would do. A dry run takes no lock.
  /// - Throws: `noInput` if there is no store; `locked` if another writer did not finish in time; `configuration`
  ///   if the store is of a newer version; `inputOutput` or `cannotCreate` if the store can't be written.
  package static func run(
    _ path: String, checker: any RecordChecker, at now: Timestamp, lockTimeout: TimeSpan, threads: Int = 1,
    isDryRun: Bool = false, fileSystem: any FileSystem = LocalFileSystem()
  ) throws(FunnelError) -> Summary {
    let files = StoreFiles(path, fileSystem)
    guard try fileSystem.status(of: files.root) != nil else { throw try files.missingJournal() }
    if try fileSystem.status(of: files.journal) == nil, try !files.hasLostJournal() { throw try files.missingJournal() }
    let run = RepairSteps(files: files, checker: checker, now: now, threads: threads)
    return isDryRun
      ? try preview(of: run) : try apply(run, StoreLock.take(files.lock, timeout: lockTimeout, fileSystem))
  }

  private static func apply(_ run: RepairSteps, _ lock: File) throws(FunnelError) -> Summary {
    var run = run
    let journal = try run.repairJournal(isDryRun: false)
    try run.repairLogFiles(of: journal, lock)
    return run.summary
  }

  private static func preview(of run: RepairSteps) throws(FunnelError) -> Summary {
    var preview = run
    let journal = try preview.repairJournal(isDryRun: true)
    let isOutdated = { () throws(FunnelError) in try (run.files.readJournal()?.commits.count ?? 0) > journal.commits.count }
    // If another command has replaced a log file in the meantime, the preview is repeated.
    do throws(FunnelError) {
      try preview.previewLogFiles(of: journal)
    } catch {
      guard error.code == .noInput, try isOutdated() else { throw error }
      return try self.preview(of: run)
    }
    if !preview.summary.findings.isEmpty, try isOutdated() { return try self.preview(of: run) }
    return preview.summary
  }
}
