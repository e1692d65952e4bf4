public import FunnelModel
public import FunnelSystem

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A store as it was at one moment, for reading. Needs no lock; any number of readers work beside the writer and each other.
///
///     let store = try StoreReader.open("funnel-store")
///     for member in try store.members() {
///       let lines = try store.read(member)
///     }
public final class StoreReader: Sendable {
  let files: StoreFiles
  let journal: Journal
  /// What could not be read so far; nil for a reader that throws where something is damaged.
  public let damage: StoreDamage?
  let openParts = OpenParts()

  /// Opens a store and checks that what its journal covers is there and long enough.
  ///
  /// - Throws: `noInput` where there is no store; `configuration` where it is of a newer version; `inputOutput` where the journal is
  ///   damaged or something it covers is missing.
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

  /// Opens a store for reading; nil where there is none.
  ///
  /// - Throws: what ``open(_:fileSystem:)`` throws where there is one, or was one whose journal is gone.
  public static func openIfThere(
    _ path: String, fileSystem: any FileSystem = LocalFileSystem()
  ) throws(FunnelError) -> StoreReader? {
    let files = StoreFiles(path, fileSystem)
    // What may not be looked at is not taken for what is not there.
    if try fileSystem.status(of: files.journal) == nil, try !files.hasLostJournal() { return nil }
    return try open(path, fileSystem: fileSystem)
  }

  /// Whether a folder is that of a store, whatever became of it: by the names of its journal and its head alone, nothing is opened.
  ///
  /// For whoever looks through folders, and is to leave stores alone.
  public static func isStore(_ path: String) -> Bool {
    [Journal.path, JournalHead.path].contains { access("\(path)/\($0)", F_OK) == 0 }
  }

  /// Makes sure that there is a store at a path, for commands that make none.
  ///
  /// - Throws: `noInput` where there is none; `inputOutput` where its journal is gone.
  public static func requireStore(_ path: String, fileSystem: any FileSystem = LocalFileSystem()) throws(FunnelError) {
    let files = StoreFiles(path, fileSystem)
    guard try fileSystem.status(of: files.journal) == nil else { return }
    throw try files.missingJournal()
  }

  init(_ files: StoreFiles, _ journal: Journal, damage: StoreDamage? = nil) {
    self.files = files
    self.journal = journal
    self.damage = damage
  }

  /// The store's folder.
  public var path: String { files.root.description }

  /// The commits, oldest first.
  public var commits: [Commit] { journal.commits }

  /// A hash that stands for all that is in the store, in hexadecimal: what is derived from it is current if it was derived at this hash.
  public var hash: String { journal.lastHash }

  /// The events in the log.
  public var eventCount: Int { parts(of: .log).reduce(0) { $0 + $1.records } }

  /// The dead letters.
  public var deadLetterCount: Int { parts(of: .rejected).reduce(0) { $0 + $1.records } }

  /// The subjects that were forgotten.
  public var forgottenCount: Int { parts(of: .forgotten).reduce(0) { $0 + $1.records } }

  /// The parts of an area and what of them counts, sorted by day and number.
  public func parts(of area: PartName.Area) -> [CoveredPart] { journal.coverage.parts(of: area) }
}
