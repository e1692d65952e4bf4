package import FunnelModel
package import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A consistent view of a store for reading. It takes no lock: any number of readers and the writer may work at the same time.
///
///     let store = try StoreReader.open("funnel-store")
///     for member in try store.members() {
///       let lines = try store.read(member)
///     }
package final class StoreReader: Sendable {
  let files: StoreFiles
  /// The journal at the time of opening.
  let journal: Journal
  /// The damage found so far by a reader that tolerates damage, or `nil` for a reader that throws on damage.
  package let damage: StoreDamage?
  /// The view of the log as it was after a commit, or `nil` for the current log.
  let past: PastView?
  let openLogFiles = OpenLogFiles()
  let partiallyVisible = PartiallyVisibleMembers()

  /// Opens a store, and checks that all covered log files exist and are long enough.
  ///
  /// - Throws: `noInput` if there is no store; `configuration` if it is of a newer version; `inputOutput` if the
  ///   journal is damaged or a covered log file is missing or too short.
  package static func open(_ path: String, fileSystem: any FileSystem = LocalFileSystem()) throws(FunnelError) -> StoreReader {
    let files = StoreFiles(path, fileSystem)
    guard let journal = try files.readJournal() else { throw try files.missingJournal() }
    try files.requireIntact(journal)
    guard let (logFile, reason) = try files.firstMissing(journal.coverage) else { return StoreReader(files, journal) }
    // A writer may have committed and removed log files since the journal was read.
    if let newer = try files.readJournal(), newer.commits.count > journal.commits.count {
      return try open(path, fileSystem: fileSystem)
    }
    throw FunnelError(.inputOutput, "\(files.path(of: logFile)) is damaged: \(reason), \(StoreFiles.remedy)")
  }

  /// Opens a store for reading. Returns `nil` if there is no store.
  ///
  /// - Throws: The errors of ``open(_:fileSystem:)``, also if the journal of a store was lost.
  package static func openIfThere(
    _ path: String, fileSystem: any FileSystem = LocalFileSystem()
  ) throws(FunnelError) -> StoreReader? {
    let files = StoreFiles(path, fileSystem)
    // A permission error does not mean that the file is absent.
    if try fileSystem.status(of: files.journal) == nil, try !files.hasLostJournal() { return nil }
    return try open(path, fileSystem: fileSystem)
  }

  /// Returns whether a folder is a store, possibly a damaged one. Only checks whether the journal or its head exists.
  ///
  /// It is for code that walks folders and must skip stores.
  package static func isStore(_ path: String) -> Bool {
    [Journal.path, JournalHead.path].contains { access("\(path)/\($0)", F_OK) == 0 }
  }

  /// Throws if there is no store at a path. It is for commands that do not create a store.
  ///
  /// - Throws: `noInput` if there is no store; `inputOutput` if the journal was lost.
  package static func requireStore(_ path: String, fileSystem: any FileSystem = LocalFileSystem()) throws(FunnelError) {
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

  /// The path of the store's folder.
  package var path: String { files.root.description }

  /// The folder of the index, which may be missing.
  package var indexFolder: StoragePath { files.index }

  /// The commits, oldest first.
  package var commits: [Commit] { journal.commits }

  /// A hash of the store's contents, in hexadecimal. Data derived from the store is current if it was derived at this hash.
  package var hash: String { journal.lastHash }

  /// The number of visible events in the log.
  package var eventCount: Int { past?.eventCount ?? logFiles(of: .log).reduce(0) { $0 + $1.records } }

  /// The number of dead letters.
  package var deadLetterCount: Int { logFiles(of: .rejected).reduce(0) { $0 + $1.records } }

  /// The number of forgotten subjects.
  package var forgottenCount: Int { logFiles(of: .forgotten).reduce(0) { $0 + $1.records } }

  /// Returns the covered log files of an area, sorted by day and number.
  package func logFiles(of area: LogFileName.Area) -> [CoveredLogFile] { journal.coverage.logFiles(of: area) }
}
