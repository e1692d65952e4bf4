import Foundation
import FunnelSystem

/// The changes that a power failure would undo.
///
/// It follows the strictest reading of POSIX for what was added: bytes are durable once their file was flushed, names once
/// their folder was flushed. A rename, a removal, a truncation or a write over existing bytes that was not flushed survives,
/// which POSIX also allows.
struct UnsyncedChanges: Sendable {
  /// The lengths at their last flush of the files that were written to since.
  private var flushedLengths: [String: Int] = [:]
  /// The files and folders created since the last flush of their folder, each with its folder.
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
