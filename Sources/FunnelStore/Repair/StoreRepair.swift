public import FunnelModel
public import FunnelSystem

/// The repair of a damaged store: it keeps everything sound and moves the rest to `damaged/`.
///
///     let summary = try StoreRepair.run("funnel-store", checker: checker, at: now, lockTimeout: timeout)
///
/// - A damaged part is rewritten in one commit of kind `repair`. Sound members are copied byte for byte; of the others the sound records
///   are kept. Records under the wrong day move to their own day; if an event is in the log twice, the first occurrence stays. The
///   replacement of a part follows the other parts of its day, so the order within the day may change.
/// - Bytes that are not a member, and records that are not sound, are first set aside in files named after their part and offset.
/// - Missing data stays missing; the commit records the part it belonged to.
/// - A journal that has a damaged line, lacks commits, or is missing is rebuilt (``JournalRebuild``); the old one is set aside.
///
/// A repair that was interrupted at any point can be run again. After a repair a verification finds nothing.
public enum StoreRepair {
  /// Data that was set aside.
  public struct Aside: Hashable, Sendable {
    /// The path of its original file inside the store: a part, or the journal.
    public var path: String
    /// The offset in that file, in bytes.
    public var offset: Int
    /// The length in bytes.
    public var bytes: Int
    /// The path of its new file inside the store.
    public var file: String
    /// The problem, as a clause.
    public var reason: String
  }

  /// The result of a repair or of its preview.
  public struct Summary: Hashable, Sendable {
    /// The damage that was found.
    public var findings: [StoreVerification.Finding] = []
    /// The data that was set aside.
    public var asides: [Aside] = []
    /// Whether the journal was rebuilt.
    public var isJournalNew = false
    /// The parts that were rewritten or given up.
    public var parts: [LogFileName] = []
    /// The number of events before the repair; with a damaged journal, the number found in the parts.
    public var eventsBefore = 0
    /// The number of events after the repair.
    public var eventsAfter = 0
    /// The numbers of the commits that were made.
    public var commits: [Int] = []
    /// A description of what was cut of an unfinished commit, or nil if nothing was cut.
    public var recovery: String?

    /// Whether the store needs no repair.
    public var isEmpty: Bool { findings.isEmpty && !isJournalNew }
  }

  /// The kind of the commits that a repair makes.
  static let kind = "repair"

  /// Repairs a store.
  ///
  /// - Parameters:
  ///   - checker: checks the records.
  ///   - isDryRun: whether only to report what a repair would do.
  /// - Throws: `noInput` if there is no store; `locked` if another writer did not finish in time; `configuration` if the store is of a
  ///   newer version; `inputOutput` or `cannotCreate` if it can't be written.
  public static func run(
    _ path: String, checker: any RecordChecker, at now: Timestamp, lockTimeout: TimeSpan, threads: Int = 1,
    isDryRun: Bool = false, fileSystem: any FileSystem = LocalFileSystem()
  ) throws(FunnelError) -> Summary {
    let files = StoreFiles(path, fileSystem)
    guard try fileSystem.status(of: files.root) != nil else { throw try files.missingJournal() }
    if try fileSystem.status(of: files.journal) == nil, try !files.hasLostJournal() { throw try files.missingJournal() }
    let run = RepairOperation(files: files, checker: checker, now: now, threads: threads)
    return isDryRun
      ? try preview(of: run) : try apply(run, StoreLock.take(files.lock, timeout: lockTimeout, fileSystem))
  }

  private static func apply(_ run: RepairOperation, _ lock: File) throws(FunnelError) -> Summary {
    var run = run
    let journal = try run.mendJournal(isDryRun: false)
    try run.mendParts(of: journal, lock)
    return run.summary
  }

  private static func preview(of run: RepairOperation) throws(FunnelError) -> Summary {
    var preview = run
    let journal = try preview.mendJournal(isDryRun: true)
    let isOutdated = { () throws(FunnelError) in try (run.files.readJournal()?.commits.count ?? 0) > journal.commits.count }
    // A part that another command replaced in the meantime is missing, or can't be read any more.
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
