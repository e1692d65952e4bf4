package import FunnelModel

/// The system's time zone database (`/usr/share/zoneinfo`), which the C library uses as well.
package struct TimeZoneDatabase: Sendable {
  /// The folder that contains the zones, or `nil` if the system has none.
  private let folder: String?
  private let fileSystem: any FileSystem

  /// Locates the database.
  ///
  /// - Parameter environmentFolder: The value of `TZDIR`, which is tried before the standard folders, or `nil` if
  ///   it is not set.
  package init(environmentFolder: String?, fileSystem: any FileSystem = LocalFileSystem()) {
    let folders = (environmentFolder.map { [$0] } ?? []) + ["/usr/share/zoneinfo", "/var/db/timezone/zoneinfo"]
    folder = folders.first { (try? fileSystem.status(of: StoragePath($0)))??.kind == .directory }
    self.fileSystem = fileSystem
  }

  /// Whether the system has a time zone database.
  package var isPresent: Bool { folder != nil }

  /// The names of the zones in common use, for suggestions, or an empty array if the system has no list of them.
  package var names: [String] {
    guard let text = try? contents("zone.tab") else { return [] }
    // A line has the columns country code, coordinates, zone name, and a comment.
    let nameColumn = 2
    return text.split(separator: UInt8(ascii: "\n")).filter { $0.first != UInt8(ascii: "#") }.compactMap { line in
      let columns = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
      return nameColumn < columns.count ? String(decoding: columns[nameColumn], as: UTF8.self) : nil
    }
  }

  /// Returns the rules of a zone such as `Europe/Berlin`, or `nil` if there is no zone of that name.
  ///
  /// - Throws: `inputOutput` if the zone's file exists but can't be read.
  package func rules(named name: String) throws(FunnelError) -> TimeZoneRules? {
    guard Self.isPlain(name) else { return nil }
    var contents: [UInt8]?
    do throws(FunnelError) {
      contents = try self.contents(name)
    } catch {
      guard error.code == .noInput else { throw error }
    }
    guard let bytes = contents else { return nil }
    return TimeZoneFile.transitions(in: bytes).map { TimeZoneRules(name: name, transitions: $0) }
  }

  /// Returns the contents of a file in the database, or `nil` if there is no such file.
  private func contents(_ name: String) throws(FunnelError) -> [UInt8]? {
    guard let folder else { return nil }
    let path = StoragePath(folder + "/" + name)
    guard try fileSystem.status(of: path)?.kind == .file else { return nil }
    return try fileSystem.readAll(path, bytesMax: Limits.timeZoneFileBytesMax)
  }

  /// Returns whether a name is that of a supported zone and can't refer to a file outside the folder.
  private static func isPlain(_ name: String) -> Bool {
    let pieces = name.split(separator: "/", omittingEmptySubsequences: false)
    // The zones in `right` count leap seconds. Those in `posix` are copies of the zones at the top level.
    return pieces[0] != "right" && pieces[0] != "posix"
      && pieces.allSatisfy { piece in
        !piece.isEmpty
          && piece.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
              UInt8(ascii: "0")...UInt8(ascii: "9"),
              UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "-"):
              true
            default: false
            }
          }
      }
  }
}
