import Foundation

/// A temporary file of lines, in a folder that only this user can read.
///
/// It exists until ``remove()``.
final class LineFile {
  /// The number of bytes that are collected before they are written.
  private static let bufferBytesMax = 1 << 18
  /// The permissions of the folder: only its owner may enter it.
  private static let ownerOnly = 0o700

  let path: String
  private let folder: URL
  private let handle: FileHandle
  /// The lines that are not written yet.
  private var buffer: [UInt8] = []

  init() throws(EventStoreError) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("funnel-\(UUID().uuidString)")
    let file = folder.appendingPathComponent("lines.ndjson")
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: Self.ownerOnly])
      try Data().write(to: file)
      handle = try FileHandle(forWritingTo: file)
    } catch {
      throw EventStoreError(
        code: .cannotCreate,
        message: "can't write, \(file.path), \(error.localizedDescription), check TMPDIR and the space on the disk")
    }
    self.folder = folder
    path = file.path
  }

  /// Appends a line.
  func append(_ line: String) throws(EventStoreError) {
    buffer.append(contentsOf: line.utf8)
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= Self.bufferBytesMax { try flush() }
  }

  /// Writes the collected lines.
  func flush() throws(EventStoreError) {
    do {
      try handle.write(contentsOf: buffer)
    } catch {
      throw EventStoreError(
        code: .cannotCreate, message: "can't write, \(path), \(error.localizedDescription), check the space on the disk")
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Removes the file and its folder.
  func remove() {
    try? handle.close()
    try? FileManager.default.removeItem(at: folder)
  }
}
