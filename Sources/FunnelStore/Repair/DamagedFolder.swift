import Crypto
import FunnelModel
import FunnelSystem

/// The folder `damaged/` of a store, to which a repair moves data that can't stay in the log.
///
/// Each range of bytes becomes a file that is named after its log file, offset and length. The tool never reads the
/// files again, except to search them for forgotten subjects. The user may delete them.
struct DamagedFolder: Sendable {
  /// Data to be moved to the folder.
  struct Piece: Sendable {
    /// The contents of the new file.
    enum Content: Sendable {
      /// A range of bytes of the log file, unchanged.
      case bytes(Range<Int>)
      /// Lines that were inflated without error but are not valid records of the log.
      case records([UInt8])
    }

    /// The log file that contains the data.
    var logFile: LogFileName
    /// The offset in the log file of the first byte, or of the member that contains the records.
    var offset: Int
    var content: Content
    /// The problem, as a clause.
    var reason: String

    /// The path of the new file inside the store.
    var path: String {
      // log/dt=2026-11-20/part-00000.ndjson.gz
      let file = logFile.path.split(separator: "/").last?.prefix { $0 != "." } ?? ""
      let prefix = "\(DamagedFolder.name)/\(logFile.area.rawValue)-\(logFile.day)-\(file)-at-\(offset)"
      return switch content {
      case .bytes(let range): "\(prefix)-\(range.count).bin"
      case .records: "\(prefix)-records.ndjson"
      }
    }

    /// The description for the repair's summary.
    var aside: StoreRepair.Aside {
      let byteCount =
        switch content {
        case .bytes(let range): range.count
        case .records(let lines): lines.count
        }
      return .init(path: logFile.path, offset: offset, bytes: byteCount, file: path, reason: reason)
    }
  }

  /// The name of the folder in the store.
  static let name = "damaged"
  /// The number of bytes that are copied at once.
  private static let chunkBytes = 1 << 20

  let files: StoreFiles

  private var fileSystem: any FileSystem { files.fileSystem }

  /// Writes a piece to the folder. It is durable when this returns. The call is idempotent.
  func put(_ piece: Piece) throws(FunnelError) {
    try write(files.root.inside(piece.path)) { (target) throws(FunnelError) in
      switch piece.content {
      case .records(let lines): try fileSystem.write(lines, to: target, at: 0)
      case .bytes(let range):
        let source = try fileSystem.open(files.path(of: piece.logFile), for: .read)
        for offset in stride(from: range.lowerBound, to: range.upperBound, by: Self.chunkBytes) {
          let bytes = try fileSystem.read(source, at: offset, count: min(Self.chunkBytes, range.upperBound - offset))
          try fileSystem.write(bytes, to: target, at: offset - range.lowerBound)
        }
      }
    }
  }

  /// Returns the path for a damaged journal. The name contains a hash of the contents, so that different journals
  /// never collide.
  static func path(ofJournal contents: [UInt8]) -> String {
    "\(name)/journal-\(SHA256.hash(data: contents).hexadecimal.prefix(16)).ndjson"
  }

  /// Writes a damaged journal to the folder. It is durable when this returns.
  func put(journal contents: [UInt8]) throws(FunnelError) {
    try write(files.root.inside(Self.path(ofJournal: contents))) { (target) throws(FunnelError) in
      try fileSystem.write(contents, to: target, at: 0)
    }
  }

  private func write(_ path: StoragePath, _ fill: (File) throws(FunnelError) -> Void) throws(FunnelError) {
    if try fileSystem.status(of: path.parent) == nil { try fileSystem.createDirectory(path.parent) }
    // A repair that was killed may have made the folder without flushing its name, so an existing folder is flushed too.
    try fileSystem.syncDirectory(files.root)
    try AtomicFile.replace(path, permissions: .owner, fileSystem: fileSystem, fill)
  }
}
