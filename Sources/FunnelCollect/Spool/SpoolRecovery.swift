import FunnelModel
import FunnelSystem

/// Finishes the files that an earlier process left open.
///
/// What is behind the last line feed, or behind a zero byte, was never acknowledged: a process was killed while it wrote,
/// or the power failed before a flush. Those bytes are cut off, the file is flushed and renamed. An empty file is removed.
struct SpoolRecovery {
  private let folder: SpoolFolder
  private var fileSystem: any FileSystem { folder.fileSystem }

  /// The number of bytes that are read at once.
  private static let chunkBytes = 1 << 20

  init(_ folder: SpoolFolder) {
    self.folder = folder
  }

  /// Finishes all open files. The caller must hold the lock of the spool.
  func run() throws(FunnelError) {
    for area in SpoolFolder.Area.allCases {
      let place = folder.path(of: area)
      var isChanged = false
      for text in try fileSystem.list(place) {
        guard let name = SpoolFileName(open: text), try fileSystem.status(of: place.inside(text))?.kind == .file else {
          continue
        }
        try recover(name, in: place)
        isChanged = true
      }
      if isChanged { try fileSystem.syncDirectory(place) }
    }
  }

  private func recover(_ name: SpoolFileName, in place: StoragePath) throws(FunnelError) {
    let path = place.inside(name.open)
    let file = try fileSystem.open(path, for: .update)
    let size = try fileSystem.size(of: file)
    let end = try endOfLines(in: file, size: size)
    guard end > 0 else { return try fileSystem.remove(path) }
    if end < size { try fileSystem.truncate(file, to: end) }
    try fileSystem.sync(file)
    let target = place.inside(name.finished)
    guard try fileSystem.status(of: target) == nil else {
      throw FunnelError(.cannotCreate, "cannot rename \(path): \(target) exists, move one of them out of the spool")
    }
    try fileSystem.rename(path, to: target)
  }

  /// Returns the offset after the last line feed before the first zero byte, or 0 if there is none.
  private func endOfLines(in file: File, size: Int) throws(FunnelError) -> Int {
    var end = 0
    for offset in stride(from: 0, to: size, by: Self.chunkBytes) {
      let chunk = try fileSystem.read(file, at: offset, count: min(Self.chunkBytes, size - offset))
      let zero = chunk.span.firstIndex(of: 0, from: 0)
      if let lineFeed = chunk[..<(zero ?? chunk.count)].lastIndex(of: UInt8(ascii: "\n")) { end = offset + lineFeed + 1 }
      if zero != nil { break }
    }
    return end
  }
}
