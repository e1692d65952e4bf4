public import FunnelModel
public import FunnelSystem

/// The one writer of a store. It holds the store's lock as long as it lives. Not for several threads at once.
///
///     let writer = try StoreWriter.open("funnel-store", lockTimeout: TimeSpan(milliseconds: 5000))
///     if let recovery = writer.recovery { note(recovery) }
///     let commit = try writer.commit(batch)      // on the disk when this returns
///
/// After a commit that failed the store is as it was, or will be after the next writer opened it; this writer refuses to go on.
public final class StoreWriter {
  /// How to write.
  public struct Options: Sendable {
    /// How many threads compress.
    public var threads = 1
    /// Raw bytes of lines in one gzip member.
    public var memberRawBytesTarget = Limits.memberRawBytesTarget
    /// Compressed bytes after which a day goes on in a new part.
    public var partBytesTarget = Limits.partBytesTarget
    /// Who compresses, and how hard.
    public var compression = Deflater.Method.fastest

    /// The options with their defaults.
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

  /// What was cut of an unfinished commit when the store was opened, in one line; nil where there was nothing to cut.
  public let recovery: String?

  /// Opens a store for writing, makes it where there is none, and cuts what an unfinished commit left behind.
  ///
  /// - Parameter lockTimeout: how long to wait for another writer to finish.
  /// - Throws: `locked` where the other one did not; `cannotCreate` where the store can't be made or written to; `configuration` where it
  ///   is of a newer version; `inputOutput` where it is damaged (then nothing is cut).
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

  /// Takes over a store whose journal is sound, and cuts what that does not cover.
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
    // Only now is the journal's last line feed known to be on the disk.
    headFile = try files.renewHead(of: journal)
  }

  /// The disk it writes to.
  package var fileSystem: any FileSystem { files.fileSystem }

  /// The store as it is now, for reading.
  public var reader: StoreReader { StoreReader(files, journal) }

  /// Puts flow definitions into the store, each under its file name; what is there with the same bytes is left as it is.
  ///
  /// - Throws: `cannotCreate` or `inputOutput` where one can't be written.
  public func putSchemas(_ schemas: [(name: String, bytes: [UInt8])]) throws(FunnelError) {
    try files.putSchemas(schemas)
  }
}

extension StoreReader {
  /// The flow definitions in the store, by file name.
  ///
  /// - Throws: `inputOutput` where one is larger than ``Limits/configurationBytesMax``, `noInput` where one can't be read.
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
