public import FunnelModel
public import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A snapshot of a store, for reading. It takes no lock; any number of readers work beside the writer and each other.
///
///     let store = try StoreReader.open("funnel-store")
///     for member in try store.members() {
///       let lines = try store.read(member)
///     }
public final class StoreReader: Sendable {
  let files: StoreFiles
  let journal: Journal
  /// The damage found so far, or nil for a reader that throws on damage.
  public let damage: StoreDamage?
  /// The past that is shown, or nil if the store is shown as it is.
  let past: PastView?
  let openParts = OpenLogFiles()
  let partlyShown = PartlyShownMembers()

  /// Opens a store and checks that everything its journal covers exists and is long enough.
  ///
  /// - Throws: `noInput` if there is no store; `configuration` if it is of a newer version; `inputOutput` if the journal is damaged or
  ///   something it covers is missing.
  public static func open(_ path: String, fileSystem: any FileSystem = LocalFileSystem()) throws(FunnelError) -> StoreReader {
    let files = StoreFiles(path, fileSystem)
    guard let journal = try files.readJournal() else { throw try files.missingJournal() }
    try files.requireWhole(journal)
    guard let (part, reason) = try files.firstMissing(journal.coverage) else { return StoreReader(files, journal) }
    // A writer may have committed and removed parts since the journal was read.
    if let newer = try files.readJournal(), newer.commits.count > journal.commits.count {
      return try open(path, fileSystem: fileSystem)
    }
    throw FunnelError(.inputOutput, "\(files.path(of: part)) is damaged: \(reason), \(StoreFiles.remedy)")
  }

  /// Opens a store for reading. Returns nil if there is none.
  ///
  /// - Throws: the errors of ``open(_:fileSystem:)`` if there is a store, or one whose journal is gone.
  public static func openIfThere(
    _ path: String, fileSystem: any FileSystem = LocalFileSystem()
  ) throws(FunnelError) -> StoreReader? {
    let files = StoreFiles(path, fileSystem)
    // A permission error does not mean that the file is absent.
    if try fileSystem.status(of: files.journal) == nil, try !files.hasLostJournal() { return nil }
    return try open(path, fileSystem: fileSystem)
  }

  /// Returns whether a folder is that of a store, however damaged. Only the names of the journal and the head are checked; nothing is
  /// opened.
  ///
  /// For code that walks folders and has to leave stores alone.
  public static func isStore(_ path: String) -> Bool {
    [Journal.path, JournalHead.path].contains { access("\(path)/\($0)", F_OK) == 0 }
  }

  /// Checks that there is a store at a path, for commands that do not create one.
  ///
  /// - Throws: `noInput` if there is none; `inputOutput` if its journal is gone.
  public static func requireStore(_ path: String, fileSystem: any FileSystem = LocalFileSystem()) throws(FunnelError) {
    let files = StoreFiles(path, fileSystem)
    guard try fileSystem.status(of: files.journal) == nil else { return }
    throw try files.missingJournal()
  }

  init(_ files: StoreFiles, _ journal: Journal, damage: StoreDamage? = nil, past: PastView? = nil) {
    self.files = files
    self.journal = journal
    self.damage = damage
    self.past = past
  }

  /// The store's folder.
  public var path: String { files.root.description }

  /// The folder of the index, which may be missing.
  package var indexFolder: StoragePath { files.index }

  /// The commits, oldest first.
  public var commits: [Commit] { journal.commits }

  /// A hash of all that is in the store, in hexadecimal. Derived data is current if it was derived at this hash.
  public var hash: String { journal.lastHash }

  /// The number of events in the log.
  public var eventCount: Int { past?.eventCount ?? parts(of: .log).reduce(0) { $0 + $1.records } }

  /// The number of dead letters.
  public var deadLetterCount: Int { parts(of: .rejected).reduce(0) { $0 + $1.records } }

  /// The number of forgotten subjects.
  public var forgottenCount: Int { parts(of: .forgotten).reduce(0) { $0 + $1.records } }

  /// Returns the covered parts of an area, sorted by day and number.
  public func parts(of area: LogFileName.Area) -> [CoveredLogFile] { journal.coverage.parts(of: area) }
}
