import FunnelModel
import FunnelStorage

/// Where things lie in a store, and how its journal is read; what readers and the writer share.
struct StoreFiles: Sendable {
  let root: StoragePath
  let fileSystem: any FileSystem

  init(_ path: String, _ fileSystem: any FileSystem) {
    root = StoragePath(path)
    self.fileSystem = fileSystem
  }

  var journal: StoragePath { root.inside(Journal.path) }
  var lock: StoragePath { root.inside("lock") }
  var schemas: StoragePath { root.inside("schemas") }

  func path(of part: PartName) -> StoragePath { root.inside(part.path) }

  /// What to do about damage.
  static let remedy = "restore it from a backup, or keep what is sound with 'funnel log repair'"

  /// Reads the journal as it stands; nil where there is none.
  func readJournal() throws(FunnelError) -> Journal? {
    guard try fileSystem.status(of: journal) != nil else { return nil }
    return try Journal(parsing: fileSystem.readAll(journal, bytesMax: .max), path: journal.description)
  }

  /// An error where a line of the journal is damaged.
  func requireWhole(_ journal: Journal) throws(FunnelError) {
    guard let damage = journal.damage else { return }
    throw FunnelError(
      .inputOutput, "line \(damage.line) of \(self.journal) is damaged: \(damage.reason), \(Self.remedy)")
  }

  /// The first covered part that is missing or too short, with a sentence about it; nil where all are there.
  func firstMissing(_ coverage: Coverage) throws(FunnelError) -> (part: PartName, reason: String)? {
    for part in coverage.parts.values.sorted(by: { $0.name < $1.name }) {
      if let reason = try shortage(of: part) { return (part.name, reason) }
    }
    return nil
  }

  /// Why a covered part can't be whole; nil where it is long enough.
  func shortage(of part: CoveredPart) throws(FunnelError) -> String? {
    guard let status = try fileSystem.status(of: path(of: part.name)) else { return "it is missing" }
    if status.kind != .file { return "it is no regular file" }
    return status.size < part.bytes ? "it has \(status.size) bytes and should have \(part.bytes)" : nil
  }

  /// All parts that lie in the store, covered or not.
  func presentParts() throws(FunnelError) -> [PartName] {
    var parts: [PartName] = []
    for area in PartName.Area.allCases {
      let folder = root.inside(area.rawValue)
      guard try fileSystem.status(of: folder) != nil else { continue }
      for name in try fileSystem.list(folder) where PartName.day(ofFolder: name) != nil {
        for file in try fileSystem.list(folder.inside(name)) {
          if let part = PartName(path: "\(area.rawValue)/\(name)/\(file)") { parts.append(part) }
        }
      }
    }
    return parts
  }

  /// The error for a store without a journal: lost, if there are parts; else there is no store.
  func missingJournal() throws(FunnelError) -> FunnelError {
    if try fileSystem.status(of: root)?.kind == .directory, try !presentParts().isEmpty { return lostJournal }
    return FunnelError(.noInput, "there is no store at \(root), make one with: funnel ingest --store \(root) FILE")
  }

  /// The error for parts without a journal.
  var lostJournal: FunnelError {
    FunnelError(.inputOutput, "the store's journal \(journal) is missing although there are parts, \(Self.remedy)")
  }
}
