import FunnelStore
import FunnelModel
import FunnelTestSupport

/// A log without an index, with the lines and the report that it has before a test changes its bytes.
final class SoundLog {
  let folder: TemporaryFolder
  let store: ScenarioStore
  /// The names and original contents of the log's files, including the journal.
  let files: [(name: String, bytes: [UInt8])]
  /// The lines of each part.
  private let lines: [LogFileName: [String]]
  private let report: String

  /// Creates a log of at least three parts and six members.
  init() throws {
    folder = try TemporaryFolder(isInMemory: true)
    store = ScenarioStore(folder: folder.path, disk: FaultyFileSystem(), memberRawBytesTarget: 8000)
    var random = SeededGenerator(seed: 11)
    for count in [300, 60] {
      let lines = RandomEvents.lines(count, .init(hasBadLines: false), using: &random)
      try store.ingest(ScenarioInput(lines))
    }
    try LocalIndex.remove(from: store)
    let folder = folder
    files = try DiskTree(of: folder.path).files.filter { $0.key.hasPrefix("store/log/") }
      .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    lines = try Self.lines(store.reader())
    report = try store.reportOfLog()
  }

  /// The parts.
  var parts: [(name: String, bytes: [UInt8])] { files.filter { $0.name.hasSuffix(".gz") } }
  /// The journal.
  var journal: (name: String, bytes: [UInt8]) { files.first { $0.name.hasSuffix("journal.ndjson") } ?? ("", []) }

  /// Reads the log, and returns whether readers report damage.
  ///
  /// - Parameter part: The only part to read, or nil for all.
  /// - Returns: True if readers report damage, false if they return the original lines and report, nil if they do neither.
  func isTold(in part: String? = nil, withReport: Bool = false) throws -> Bool? {
    do throws(FunnelError) {
      let found = try Self.lines(store.reader(), of: part)
      guard found.allSatisfy({ lines[$0] == $1 }), part != nil || found.count == lines.count else { return nil }
      if withReport, try readReport() != report { return nil }
      return false
    } catch {
      return error.code == .inputOutput || error.code == .configuration ? true : nil
    }
  }

  private static func lines(_ reader: StoreReader, of part: String? = nil) throws(FunnelError) -> [LogFileName: [String]] {
    var lines: [LogFileName: [String]] = [:]
    for member in try reader.members() where part == nil || part == "store/\(member.logFile)" {
      let text = String(decoding: try reader.read(member), as: UTF8.self)
      lines[member.logFile, default: []] += text.split(separator: "\n").map(String.init)
    }
    return lines
  }

  private func readReport() throws(FunnelError) -> String {
    do {
      return try store.reportOfLog()
    } catch let error as FunnelError {
      throw error
    } catch {
      throw FunnelError(.usage, "\(error)")
    }
  }
}
