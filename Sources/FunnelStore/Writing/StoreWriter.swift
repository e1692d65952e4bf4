package import FunnelModel
package import FunnelSystem

/// The writer of a store. It holds the store's exclusive lock as long as it lives. Not thread-safe.
///
///     let writer = try StoreWriter.open("funnel-store", lockTimeout: TimeSpan(milliseconds: 5000))
///     if let recovery = writer.recovery { note(recovery) }
///     let commit = try writer.commit(batch)      // durable when this returns
///
/// After a failed commit this writer rejects further ones. The next writer removes the remains of the failed commit.
package final class StoreWriter {
  /// The options of a writer.
  package struct Options: Sendable {
    /// The number of threads that compress.
    package var threads = 1
    /// The target size of a gzip member, in bytes before compression.
    package var memberRawBytesTarget = Limits.memberRawBytesTarget
    /// The size of a log file from which on a day continues in a new one, in bytes.
    package var logFileBytesTarget = Limits.partBytesTarget
    /// The compression library and its level.
    package var compression = Deflater.Method.fastest

    /// Creates the default options.
    package init() {}
  }

  let files: StoreFiles
  let options: Options
  let workspaces: MemberWorkspaces
  /// The file that holds the lock as long as it is open.
  private let lock: File
  let journalFile: File
  let headFile: File
  /// The journal up to the last commit.
  var journal: Journal
  /// Whether a commit failed or is in progress.
  var hasFailed = false

  /// A description in one line of the remains of an unfinished commit that were removed on opening, or `nil` if
  /// there were none.
  package let recovery: String?

  /// Opens a store for writing. Creates it if there is none, and removes the remains of an unfinished commit.
  ///
  /// - Parameter lockTimeout: How long to wait for another writer to finish.
  /// - Throws: `locked` if the other writer did not finish in time; `cannotCreate` if the store can't be created or written to;
  ///   `configuration` if it is of a newer version; `inputOutput` if it is damaged, in which case nothing is removed.
  package static func open(
    _ path: String, lockTimeout: TimeSpan, options: Options = Options(), fileSystem: any FileSystem = LocalFileSystem()
  ) throws(FunnelError) -> StoreWriter {
    let files = StoreFiles(path, fileSystem)
    try fileSystem.createDirectories(files.root)
    let lock = try StoreLock.take(files.lock, timeout: lockTimeout, fileSystem)
    let journalFile = try files.openJournal()
    let journal = try files.readJournal(for: .writing) ?? Journal()
    try files.requireIntact(journal)
    if let (logFile, reason) = try files.firstMissing(journal.coverage) {
      throw FunnelError(.inputOutput, "\(files.path(of: logFile)) is damaged: \(reason), \(StoreFiles.remedy)")
    }
    return try StoreWriter(recovering: files, options, lock, journalFile, journal)
  }

  /// Creates the writer of a locked store with an intact journal, and removes everything that the journal does not cover.
  init(
    recovering files: StoreFiles, _ options: Options, _ lock: File, _ journalFile: File, _ journal: Journal
  ) throws(FunnelError) {
    self.files = files
    self.options = options
    workspaces = MemberWorkspaces(options.compression)
    self.lock = lock
    self.journalFile = journalFile
    self.journal = journal
    recovery = try StoreRecovery(files: files, journal: journal, journalFile: journalFile).run()
    // Only now is the journal's last line feed known to be durable.
    headFile = try files.renewHead(of: journal)
  }

  /// The file system that contains the store.
  package var fileSystem: any FileSystem { files.fileSystem }

  /// A reader of the store after the last commit.
  package var reader: StoreReader { StoreReader(files, journal) }

  /// Writes flow definitions to the store, each under its file name. Skips files that already have the same bytes.
  ///
  /// - Throws: `cannotCreate` or `inputOutput` if a file can't be written.
  package func putSchemas(_ schemas: [(name: String, bytes: [UInt8])]) throws(FunnelError) {
    try files.putSchemas(schemas)
  }
}
