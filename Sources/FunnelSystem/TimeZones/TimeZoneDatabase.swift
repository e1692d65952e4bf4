public import FunnelModel

/// The system's time zones: the files that the C library reads as well.
public struct TimeZoneDatabase: Sendable {
  /// The folder the zones lie in, or nil where the system has none.
  private let folder: String?
  private let fileSystem: any FileSystem

  /// Finds the database: in the folder that `TZDIR` names, where it is set, else where systems have it.
  public init(environmentFolder: String?, fileSystem: any FileSystem = LocalFileSystem()) {
    let folders = (environmentFolder.map { [$0] } ?? []) + ["/usr/share/zoneinfo", "/var/db/timezone/zoneinfo"]
    folder = folders.first { (try? fileSystem.status(of: StoragePath($0)))??.kind == .directory }
    self.fileSystem = fileSystem
  }

  /// Whether the system has one.
  public var isPresent: Bool { folder != nil }

  /// The zones a person would name, to find the one that was meant; empty where the system has no list.
  public var names: [String] {
    guard let text = try? contents("zone.tab") else { return [] }
    return text.split(separator: UInt8(ascii: "\n")).filter { $0.first != UInt8(ascii: "#") }.compactMap { line in
      let columns = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
      return columns.count < 3 ? nil : String(decoding: columns[2], as: UTF8.self)
    }
  }

  /// The rules of a zone such as `Europe/Berlin`; nil where there is none of that name.
  ///
  /// - Throws: `inputOutput` where its file is there and can't be read: then nobody misspelt anything.
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

  /// Whether a name leads nowhere but into the folder. Zones that count leap seconds, below `right/`, are no zones of ours.
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
