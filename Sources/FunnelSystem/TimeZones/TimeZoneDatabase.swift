public import FunnelModel

/// The system's time zone database: the files that the C library also reads.
public struct TimeZoneDatabase: Sendable {
  /// The folder that contains the zones, or nil if the system has none.
  private let folder: String?
  private let fileSystem: any FileSystem

  /// Finds the database in the folder that `TZDIR` names, if it is set and exists, or else in the usual folders.
  public init(environmentFolder: String?, fileSystem: any FileSystem = LocalFileSystem()) {
    let folders = (environmentFolder.map { [$0] } ?? []) + ["/usr/share/zoneinfo", "/var/db/timezone/zoneinfo"]
    folder = folders.first { (try? fileSystem.status(of: StoragePath($0)))??.kind == .directory }
    self.fileSystem = fileSystem
  }

  /// Whether the system has a time zone database.
  public var isPresent: Bool { folder != nil }

  /// The zone names in common use, for suggesting the one that was meant; empty if the system has no list.
  public var names: [String] {
    guard let text = try? contents("zone.tab") else { return [] }
    return text.split(separator: UInt8(ascii: "\n")).filter { $0.first != UInt8(ascii: "#") }.compactMap { line in
      let columns = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
      return columns.count < 3 ? nil : String(decoding: columns[2], as: UTF8.self)
    }
  }

  /// Returns the rules of a zone such as `Europe/Berlin`, or nil if there is none of that name.
  ///
  /// - Throws: `inputOutput` if the zone's file exists but can't be read; the name is not misspelt in that case.
  public func rules(named name: String) throws(FunnelError) -> TimeZoneRules? {
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

  private func contents(_ name: String) throws(FunnelError) -> [UInt8]? {
    guard let folder else { return nil }
    let path = StoragePath(folder + "/" + name)
    guard try fileSystem.status(of: path)?.kind == .file else { return nil }
    return try fileSystem.readAll(path, bytesMax: Limits.timeZoneFileBytesMax)
  }

  /// Returns whether a name cannot refer to anything outside the folder. Zones below `right/`, which count leap seconds, are not supported.
  private static func isPlain(_ name: String) -> Bool {
    let pieces = name.split(separator: "/", omittingEmptySubsequences: false)
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
