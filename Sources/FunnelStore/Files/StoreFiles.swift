import Crypto
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

  func path(of logFile: LogFileName) -> StoragePath { root.inside(logFile.path) }

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
  func requireIntact(_ journal: Journal) throws(FunnelError) {
    guard let damage = journal.damage else { return }
    let place = damage.line.map { "line \($0) of \(self.journal)" } ?? "the store's journal \(self.journal)"
    throw FunnelError(.inputOutput, "\(place) is damaged: \(damage.reason), \(Self.remedy)")
  }

  /// Returns the first covered log file that is missing or too short, with the reason as a clause, or `nil` if there is none.
  func firstMissing(_ coverage: Coverage) throws(FunnelError) -> (logFile: LogFileName, reason: String)? {
    for logFile in coverage.logFiles.values.sorted(by: { $0.name < $1.name }) {
      if let reason = try shortage(of: logFile) { return (logFile.name, reason) }
    }
    return nil
  }

  /// Returns the reason why a covered log file is incomplete, as a clause, or `nil` if it is long enough.
  func shortage(of logFile: CoveredLogFile) throws(FunnelError) -> String? {
    guard let status = try fileSystem.status(of: path(of: logFile.name)) else { return "it is missing" }
    if status.kind != .file { return "it is not a regular file" }
    return status.size < logFile.bytes ? "it has \(status.size) bytes and should have \(logFile.bytes)" : nil
  }

  /// Returns all log files on the disk, whether they are covered or not.
  func presentLogFiles() throws(FunnelError) -> [LogFileName] {
    var logFiles: [LogFileName] = []
    for area in LogFileName.Area.allCases {
      let folder = root.inside(area.rawValue)
      guard try fileSystem.status(of: folder) != nil else { continue }
      for name in try fileSystem.list(folder) where LogFileName.day(ofFolder: name) != nil {
        for file in try fileSystem.list(folder.inside(name)) {
          if let logFile = LogFileName(path: "\(area.rawValue)/\(name)/\(file)") { logFiles.append(logFile) }
        }
      }
    }
    return logFiles
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

extension StoreFiles {
  /// The number of bytes that are read and hashed at once.
  private static let chunkBytes = 1 << 20

  /// Returns the SHA-256 of an extent's bytes on the disk, in hexadecimal.
  func sha256(of extent: Extent, in file: File) throws(FunnelError) -> String {
    var digest = SHA256()
    let end = extent.offset + extent.bytes
    for offset in stride(from: extent.offset, to: end, by: Self.chunkBytes) {
      digest.update(data: try fileSystem.read(file, at: offset, count: min(Self.chunkBytes, end - offset)))
    }
    return digest.finalize().hexadecimal
  }

  /// Reads new extents back from the disk, on several threads, and checks their hashes.
  ///
  /// It is called before the commit is made, so that nothing is removed whose replacement is damaged.
  ///
  /// - Throws: `inputOutput` if a hash does not match.
  func requireWritten(_ extents: [Extent], threads: Int) throws(FunnelError) {
    _ = try Parallel.map(count: extents.count, threads: threads) { (index) throws(FunnelError) in
      let extent = extents[index]
      let file = try fileSystem.open(path(of: extent.logFile), for: .read)
      guard try sha256(of: extent, in: file) == extent.sha256 else {
        throw FunnelError(
          .inputOutput,
          "\(path(of: extent.logFile)) does not contain what was written to it, so nothing was changed; check disk and memory")
      }
    }
  }
}
