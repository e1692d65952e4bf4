import Crypto
import FunnelModel
import FunnelSystem

/// The folder for what a repair sets aside: `damaged/` in the store, one file per range of bytes, named after its part and offset.
///
/// The tool never takes anything back from it. It is meant for a person, or a better tool, and may be deleted.
struct DamagedFolder: Sendable {
  /// Data to be set aside.
  struct Piece: Sendable {
    enum Content: Sendable {
      /// A range of bytes of the part, unchanged.
      case bytes(Range<Int>)
      /// Records that inflated without error and do not belong in the log.
      case records([UInt8])
    }

    var part: LogFileName
    /// The offset in the part at which the bytes begin, or the member that held the records.
    var offset: Int
    var content: Content
    /// The problem, as a clause.
    var reason: String

    /// Its path inside the store.
    var path: String {
      // log/dt=2026-11-20/part-00000.ndjson.gz
      let file = part.path.split(separator: "/").last?.prefix { $0 != "." } ?? ""
      let place = "\(DamagedFolder.name)/\(part.area.rawValue)-\(part.day)-\(file)-at-\(offset)"
      return switch content {
      case .bytes: "\(place).bin"
      case .records: "\(place)-records.ndjson"
      }
    }

    /// The description for the repair's summary.
    var aside: StoreRepair.Aside {
      let byteCount =
        switch content {
        case .bytes(let range): range.count
        case .records(let lines): lines.count
        }
      return .init(path: part.path, offset: offset, bytes: byteCount, file: path, reason: reason)
    }
  }

  static let name = "damaged"
  private static let chunkBytes = 1 << 20

  let files: StoreFiles

  private var fileSystem: any FileSystem { files.fileSystem }

  /// Sets a piece aside; it is durable when this returns. Repeating it has no further effect.
  func put(_ piece: Piece) throws(FunnelError) {
    try write(files.root.inside(piece.path)) { (target) throws(FunnelError) in
      switch piece.content {
      case .records(let lines): try fileSystem.write(lines, to: target, at: 0)
      case .bytes(let range):
        let source = try fileSystem.open(files.path(of: piece.part), for: .read)
        for offset in stride(from: range.lowerBound, to: range.upperBound, by: Self.chunkBytes) {
          let bytes = try fileSystem.read(source, at: offset, count: min(Self.chunkBytes, range.upperBound - offset))
          try fileSystem.write(bytes, to: target, at: offset - range.lowerBound)
        }
      }
    }
  }

  /// Returns the path for a journal with these contents. The name contains their hash, so that different journals never collide.
  static func path(ofJournal contents: [UInt8]) -> String {
    "\(name)/journal-\(SHA256.hash(data: contents).hexadecimal.prefix(16)).ndjson"
  }

  /// Sets a journal aside.
  func put(journal contents: [UInt8]) throws(FunnelError) {
    try write(files.root.inside(Self.path(ofJournal: contents))) { (target) throws(FunnelError) in
      try fileSystem.write(contents, to: target, at: 0)
    }
  }

  private func write(_ path: StoragePath, _ fill: (File) throws(FunnelError) -> Void) throws(FunnelError) {
    if try fileSystem.status(of: path.parent) == nil {
      try fileSystem.createDirectory(path.parent)
      try fileSystem.syncDirectory(files.root)
    }
    try AtomicFile.replace(path, permissions: .owner, fileSystem: fileSystem, fill)
  }
}
