public import FunnelModel
public import FunnelSystem

/// Keeps all of a damaged store that is sound, and moves the rest aside into `damaged/`.
///
///     let summary = try StoreRepair.run("funnel-store", checker: checker, at: now, lockTimeout: timeout)
///
/// - A part that is damaged is written anew, in one commit of kind `repair`: sound members byte by byte, of the others the records that are
///   sound. Records under the wrong day go under their own; of an event that stands in the log twice the first stays. Where such a part
///   was, another of its day follows behind: the order within the day may change.
/// - Bytes that are no member, and records that are not sound, are put aside first, named after their part and offset.
/// - What is missing stays missing; the commit says which part it was.
/// - A journal with a damaged line, without commits that were made, or none, is made anew (``JournalRebuild``); the old one is put aside.
///
/// Broken off at any point it can be run again. Afterwards a verification finds nothing.
public enum StoreRepair {
  /// Something that was put aside.
  public struct Aside: Hashable, Sendable {
    /// Where it stood, below the store: a part, or the journal.
    public var path: String
    /// Where in it, in bytes.
    public var offset: Int
    public var bytes: Int
    /// Where it is now, below the store.
    public var file: String
    /// What is wrong with it, as a clause.
    public var reason: String
  }

  /// What a repair did, or would do.
  public struct Summary: Hashable, Sendable {
    /// What was wrong.
    public var findings: [StoreVerification.Finding] = []
    /// What was put aside.
    public var asides: [Aside] = []
    /// Whether the journal was made anew.
    public var isJournalNew = false
    /// The parts that were written anew or given up.
    public var parts: [PartName] = []
    /// Events the journal spoke of, and those that are left. Of a damaged journal the first is what the parts hold.
    public var eventsBefore = 0
    public var eventsAfter = 0
    /// The commits that were made.
    public var commits: [Int] = []
    /// What was cut of an unfinished commit; nil where there was nothing to cut.
    public var recovery: String?

    /// Whether there was nothing to do.
    public var isEmpty: Bool { findings.isEmpty && !isJournalNew }
  }

  /// The kind of its commits.
  static let kind = "repair"

  /// Repairs a store.
  ///
  /// - Parameters:
  ///   - checker: looks into the records.
  ///   - isDryRun: whether only to say what would be done.
  /// - Throws: `noInput` where there is no store; `locked` where another writer did not finish; `configuration` where the store is of a newer
  ///   version; `inputOutput` or `cannotCreate` where it can't be written.
  public static func run(
    _ path: String, checker: any RecordChecker, at now: Timestamp, lockTimeout: TimeSpan, threads: Int = 1,
    isDryRun: Bool = false, fileSystem: any FileSystem = LocalFileSystem()
  ) throws(FunnelError) -> Summary {
    let files = StoreFiles(path, fileSystem)
    guard try fileSystem.status(of: files.root) != nil else { throw try files.missingJournal() }
    if try fileSystem.status(of: files.journal) == nil, try !files.hasLostJournal() { throw try files.missingJournal() }
    let run = RepairRun(files: files, checker: checker, now: now, threads: threads)
    return isDryRun
      ? try preview(of: run) : try carryOut(run, StoreLock.take(files.lock, timeout: lockTimeout, fileSystem))
  }

  private static func carryOut(_ run: RepairRun, _ lock: File) throws(FunnelError) -> Summary {
    var run = run
    let journal = try run.mendJournal(isDryRun: false)
    try run.mendParts(of: journal, lock)
    return run.summary
  }

  private static func preview(of run: RepairRun) throws(FunnelError) -> Summary {
    var preview = run
    let journal = try preview.mendJournal(isDryRun: true)
    let isOutdated = { () throws(FunnelError) in try (run.files.readJournal()?.commits.count ?? 0) > journal.commits.count }
    // A part that another command replaced meanwhile is missing, or can't be read any more.
    do throws(FunnelError) {
      try preview.lookAtParts(of: journal)
    } catch {
      guard error.code == .noInput, try isOutdated() else { throw error }
      return try self.preview(of: run)
    }
    if !preview.summary.findings.isEmpty, try isOutdated() { return try self.preview(of: run) }
    return preview.summary
  }
}
