import Foundation

/// The files and folders of a folder, by their paths in it.
package struct DiskTree: Hashable, Sendable {
  /// The folders, each after the one that contains it.
  package var folders: [String] = []
  package var files: [String: [UInt8]] = [:]

  package init() {}

  /// Reads the contents of a folder.
  package init(of path: String) throws {
    try collect(path, "")
  }

  private mutating func collect(_ path: String, _ prefix: String) throws {
    guard let stream = opendir(path) else { throw CocoaError(.fileReadUnknown) }
    var found: [(name: String, isFolder: Bool)] = []
    while let entry = readdir(stream) {
      let isFolder = entry.pointee.d_type == DT_DIR
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      if name != ".", name != ".." { found.append((name, isFolder)) }
    }
    closedir(stream)
    for (name, isFolder) in found.sorted(by: { $0.name < $1.name }) {
      let (inner, key) = ("\(path)/\(name)", prefix.isEmpty ? name : "\(prefix)/\(name)")
      if isFolder {
        folders.append(key)
        try collect(inner, key)
      } else {
        files[key] = try Self.contents(inner)
      }
    }
  }

  private static func contents(_ path: String) throws -> [UInt8] {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { throw CocoaError(.fileReadUnknown) }
    defer { close(file) }
    var status = stat()
    fstat(file, &status)
    return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
      count = max(0, read(file, buffer.baseAddress, buffer.count))
    }
  }

  /// Writes all files and folders into an empty folder.
  package func write(to path: String) throws {
    for folder in folders {
      guard mkdir("\(path)/\(folder)", 0o700) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
    for (name, bytes) in files {
      let file = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_EXCL, 0o600)
      guard file >= 0 else { throw CocoaError(.fileWriteUnknown) }
      defer { close(file) }
      guard bytes.withUnsafeBytes({ Foundation.write(file, $0.baseAddress, $0.count) }) == bytes.count else {
        throw CocoaError(.fileWriteUnknown)
      }
    }
  }

  /// Removes a file or a folder if it exists.
  package static func remove(_ path: String) throws {
    if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
  }
}
