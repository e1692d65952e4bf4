import Foundation

/// A folder that is empty at first and is removed with the last reference to it.
final class TemporaryFolder: Sendable {
  /// The path of the folder.
  let path: String

  /// - Parameter isInMemory: Whether the folder may be in memory instead of on a disk, for tests that create thousands of them.
  init(isInMemory: Bool = false) throws {
    let memory = URL(fileURLWithPath: "/dev/shm")
    let parent =
      isInMemory && FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
    let url = parent.appendingPathComponent("funnel-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Returns the path of a file or folder in it.
  func path(_ name: String) -> String { path + "/" + name }

  /// Returns the bytes of a file in it.
  func contents(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name)))) }

  /// Writes a file in it.
  func write(_ bytes: [UInt8], to name: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: path(name))) }

  /// Creates a folder in it.
  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: false)
  }

  /// Removes a file or a folder in it.
  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

  /// Returns the paths of all files in it, at any depth, sorted.
  func files() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).filter { name in
      var isDirectory: ObjCBool = false
      return FileManager.default.fileExists(atPath: path(name), isDirectory: &isDirectory) && !isDirectory.boolValue
    }.sorted()
  }

  /// Returns a copy of it, so that a test can try several things from the same state.
  func copy() throws -> TemporaryFolder {
    let copy = try TemporaryFolder()
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      try FileManager.default.copyItem(atPath: path(name), toPath: copy.path(name))
    }
    return copy
  }
}
