import FunnelStore
import FunnelSystem
import FunnelTestSupport

/// Reads a store as tools do that know nothing of its journal: all files of an area, each completely.
enum ForeignReader {
  static func lines(_ folder: TemporaryFolder, _ area: LogFileName.Area) throws -> [String] {
    let names = try folder.files().filter { $0.hasPrefix("store/\(area.rawValue)/dt=") && $0.hasSuffix(".gz") }
    return try names.flatMap { name in
      let reader = DecodedReader(try LocalFileSystem().open(StoragePath(folder.path(name)), for: .read), engine: .zlib)
      var bytes: [UInt8] = []
      while case let chunk = try reader.read(upTo: 1 << 16), !chunk.isEmpty { bytes += chunk }
      if let damage = reader.damage { throw damage }
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }
}
