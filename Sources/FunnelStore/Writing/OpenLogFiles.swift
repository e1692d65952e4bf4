import FunnelModel
import FunnelSystem

/// The parts a reader has opened. They stay open, so that their contents stay readable even if a writer replaces them.
final class OpenLogFiles: Sendable {
  /// The maximum number of files kept open; a store may have more parts than a process may have open files.
  private static let countMax = 96

  private let files = Guarded<[LogFileName: File]>([:])

  /// Returns a part's file if it is open.
  func file(of part: LogFileName) -> File? { files.withLock { $0[part] } }

  /// Returns a part's file, and calls `open` if it is not open yet.
  func file(of part: LogFileName, open: () throws(FunnelError) -> File) throws(FunnelError) -> File {
    if let file = file(of: part) { return file }
    let file = try open()
    files.withLock { files in
      if files.count < Self.countMax { files[part] = file }
    }
    return file
  }
}
