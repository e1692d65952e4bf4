import FunnelModel
import FunnelSystem

/// The paths of the files in a store, and the operations on them that readers and the writer share.
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
  var index: StoragePath { root.inside("index") }

  func path(of part: LogFileName) -> StoragePath { root.inside(part.path) }

  /// The remedy for damage, as a clause for error messages.
  static let remedy = "restore it from a backup, or keep what is intact with 'funnel log repair'"

  /// Reads the journal up to its end or its first damage, which is recorded in it. Returns `nil` if there is no journal.
  func readJournal(for use: HeadUse = .reading) throws(FunnelError) -> Journal? {
    // The head is read first: a commit made in the meantime is then in the journal and not in the head.
    let head = try readHead(for: use)
    guard try fileSystem.status(of: self.journal) != nil else { return nil }
    let contents = try fileSystem.readAll(self.journal, bytesMax: Limits.journalBytesMax)
    var journal = try Journal(parsing: contents, path: self.journal.description)
    guard let damage = try damage(of: journal, head) else { return journal }
    // A repair, or the store's first writer, may have replaced the head in the meantime.
    guard try readHead(for: use) == head else { return try readJournal(for: use) }
    journal.note(damage)
    return journal
  }

  /// Throws if the journal is damaged.
  func requireWhole(_ journal: Journal) throws(FunnelError) {
    guard let damage = journal.damage else { return }
    let place = damage.line.map { "line \($0) of \(self.journal)" } ?? "the store's journal \(self.journal)"
    throw FunnelError(.inputOutput, "\(place) is damaged: \(damage.reason), \(Self.remedy)")
  }

  /// Returns the first covered log file that is missing or too short, with the reason as a clause, or `nil` if there is none.
  func firstMissing(_ coverage: Coverage) throws(FunnelError) -> (part: LogFileName, reason: String)? {
    for part in coverage.parts.values.sorted(by: { $0.name < $1.name }) {
      if let reason = try shortage(of: part) { return (part.name, reason) }
    }
    return nil
  }

  /// Returns the reason why a covered log file is incomplete, as a clause, or `nil` if it is long enough.
  func shortage(of part: CoveredLogFile) throws(FunnelError) -> String? {
    guard let status = try fileSystem.status(of: path(of: part.name)) else { return "it is missing" }
    if status.kind != .file { return "it is not a regular file" }
    return status.size < part.bytes ? "it has \(status.size) bytes and should have \(part.bytes)" : nil
  }

  /// Returns all log files on the disk, whether they are covered or not.
  func presentParts() throws(FunnelError) -> [LogFileName] {
    var parts: [LogFileName] = []
    for area in LogFileName.Area.allCases {
      let folder = root.inside(area.rawValue)
      guard try fileSystem.status(of: folder) != nil else { continue }
      for name in try fileSystem.list(folder) where LogFileName.day(ofFolder: name) != nil {
        for file in try fileSystem.list(folder.inside(name)) {
          if let part = LogFileName(path: "\(area.rawValue)/\(name)/\(file)") { parts.append(part) }
        }
      }
    }
    return parts
  }

  /// Returns the error for a missing journal: it was lost, or there is no store.
  func missingJournal() throws(FunnelError) -> FunnelError {
    // The store's first writer may have created the journal in the meantime.
    if try hasLostJournal(), try fileSystem.status(of: journal) == nil { return lostJournal }
    return FunnelError(.noInput, "there is no store at \(root), make one with: funnel ingest --store \(root) FILE")
  }

  /// The error for a journal that was lost.
  var lostJournal: FunnelError {
    FunnelError(.inputOutput, "the store's journal \(journal) is missing although the store is not empty, \(Self.remedy)")
  }
}
