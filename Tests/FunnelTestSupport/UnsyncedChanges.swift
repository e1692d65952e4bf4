import Foundation
import FunnelSystem

/// What the power going would take from the disk.
///
/// The strictest reading of POSIX: bytes last once their file was flushed, names once their folder was. (A removal or a cut that was
/// not flushed is left as done: both may be so.)
struct UnsyncedChanges: Sendable {
  /// For files written to since their last flush, how long they were then.
  private var flushedLengths: [String: Int] = [:]
  /// Files and folders made since their folder's last flush.
  private var unflushedNames: [String: String] = [:]

  mutating func made(_ path: StoragePath) { unflushedNames[path.description] = path.parent.description }

  mutating func wrote(_ path: StoragePath, lengthBefore length: Int) {
    if flushedLengths[path.description] == nil { flushedLengths[path.description] = length }
  }

  mutating func truncated(_ path: StoragePath, to length: Int) {
    if let flushed = flushedLengths[path.description] { flushedLengths[path.description] = min(flushed, length) }
  }

  mutating func synced(_ path: StoragePath) { flushedLengths[path.description] = nil }

  mutating func syncedFolder(_ path: StoragePath) {
    unflushedNames = unflushedNames.filter { $0.value != path.description }
  }

  mutating func removed(_ path: StoragePath) {
    flushedLengths[path.description] = nil
    unflushedNames[path.description] = nil
  }

  func undo() throws {
    for (path, length) in flushedLengths where FileManager.default.fileExists(atPath: path) {
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      try file.truncate(atOffset: UInt64(length))
      try file.close()
    }
    for path in unflushedNames.keys where FileManager.default.fileExists(atPath: path) {
      try FileManager.default.removeItem(atPath: path)
    }
  }
}
