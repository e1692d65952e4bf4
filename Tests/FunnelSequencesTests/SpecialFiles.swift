import Foundation
import FunnelModel

#if canImport(Glibc)
  import Glibc
#endif

/// Creates files that are not regular files.
enum SpecialFiles {
  static func link(_ path: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
  }

  static func fifo(_ path: String) throws {
    guard mkfifo(path, 0o600) == 0 else { throw FunnelError(.cannotCreate, "no FIFO at \(path)") }
  }
}

extension SpecialFiles {
  /// Returns the permission bits of a file.
  static func permissions(_ path: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? -1
  }
}
