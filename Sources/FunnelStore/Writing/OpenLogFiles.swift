import FunnelModel
import FunnelSystem

/// A reader's cache of open log files. Thread-safe.
///
/// A file that stays open stays readable even after a writer has removed it.
final class OpenLogFiles: Sendable {
  /// The maximum number of cached files, because a store may have more log files than a process may have open files.
  private static let countMax = 96

  private let files = Guarded<[LogFileName: File]>([:])

  /// Returns the open file of a log file, or `nil` if it is not cached.
  func file(of part: LogFileName) -> File? { files.withLock { $0[part] } }

  /// Returns the open file of a log file. If it is not cached, opens it with `open` and caches it if there is room.
  func file(of part: LogFileName, open: () throws(FunnelError) -> File) throws(FunnelError) -> File {
    if let file = file(of: part) { return file }
    let file = try open()
    files.withLock { files in
      if files.count < Self.countMax { files[part] = file }
    }
    return file
  }
}
