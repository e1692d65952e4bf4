public import FunnelModel
public import FunnelSystem

/// The only writer of a store. It holds the store's lock as long as it lives. It must not be used by several threads at once.
///
///     let writer = try StoreWriter.open("funnel-store", lockTimeout: TimeSpan(milliseconds: 5000))
///     if let recovery = writer.recovery { note(recovery) }
///     let commit = try writer.commit(batch)      // durable when this returns
///
/// After a failed commit the store is unchanged, or will be once the next writer has opened it; this writer refuses further commits.
public final class StoreWriter {
  /// The options of a writer.
  public struct Options: Sendable {
    /// The number of threads that compress.
    public var threads = 1
    /// The target for the uncompressed bytes of one gzip member.
    public var memberRawBytesTarget = Limits.memberRawBytesTarget
    /// The number of compressed bytes after which a day continues in a new part.
    public var partBytesTarget = Limits.partBytesTarget
    /// The compressor and its level.
    public var compression = Deflater.Method.fastest

    /// Creates the default options.
    public init() {}
  }

  let files: StoreFiles
  let options: Options
  let workspaces: MemberWorkspaces
  private let lock: File
  let journalFile: File
  let headFile: File
  var journal: Journal
  var hasFailed = false

  /// A one-line description of what was cut of an unfinished commit when the store was opened, or nil if nothing was cut.
  public let recovery: String?

  /// Opens a store for writing, creating it if there is none, and cuts the remains of an unfinished commit.
  ///
  /// - Parameter lockTimeout: how long to wait for another writer to finish.
  /// - Throws: `locked` if the other writer did not finish in time; `cannotCreate` if the store can't be created or written to;
  ///   `configuration` if it is of a newer version; `inputOutput` if it is damaged (nothing is cut then).
  public static func open(
    _ path: String, lockTimeout: TimeSpan, options: Options = Options(), fileSystem: any FileSystem = LocalFileSystem()
  ) throws(FunnelError) -> StoreWriter {
    let files = StoreFiles(path, fileSystem)
    try fileSystem.createDirectories(files.root)
    let lock = try StoreLock.take(files.lock, timeout: lockTimeout, fileSystem)
    let journalFile = try files.openJournal()
    let journal = try files.readJournal(for: .writing) ?? Journal()
    try files.requireWhole(journal)
    if let (part, reason) = try files.firstMissing(journal.coverage) {
      throw FunnelError(.inputOutput, "\(files.path(of: part)) is damaged: \(reason), \(StoreFiles.remedy)")
    }
    return try StoreWriter(recovering: files, options, lock, journalFile, journal)
  }

  /// Takes over a store whose journal is sound, and cuts what the journal does not cover.
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

  /// The file system it writes to.
  package var fileSystem: any FileSystem { files.fileSystem }

  /// A reader of the store as it is now.
  public var reader: StoreReader { StoreReader(files, journal) }

  /// Writes flow definitions into the store, each under its file name. A file that already has the same bytes is left as it is.
  ///
  /// - Throws: `cannotCreate` or `inputOutput` if one can't be written.
  public func putSchemas(_ schemas: [(name: String, bytes: [UInt8])]) throws(FunnelError) {
    try files.putSchemas(schemas)
  }
}

extension StoreReader {
  /// Returns the flow definitions in the store, by file name.
  ///
  /// - Throws: `inputOutput` if one is larger than ``Limits/configurationBytesMax``, `noInput` if one can't be read.
  public func schemas() throws(FunnelError) -> [(name: String, bytes: [UInt8])] {
    guard try files.fileSystem.status(of: files.schemas) != nil else { return [] }
    var schemas: [(name: String, bytes: [UInt8])] = []
    for name in try files.fileSystem.list(files.schemas) where name.hasSuffix(".json") && !name.hasPrefix(".") {
      let bytes = try files.fileSystem.readAll(files.schemas.inside(name), bytesMax: Limits.configurationBytesMax)
      schemas.append((name, bytes))
    }
    return schemas
  }
}
