import FunnelStore
import FunnelModel
import FunnelTestSupport

/// A log without an index, what it says, and whether it still says it after its bytes were changed.
final class SoundLog {
  let folder: TemporaryFolder
  let store: ScenarioStore
  /// The files of the log by name, with their bytes as they were written; the journal is one of them.
  let files: [(name: String, bytes: [UInt8])]
  /// The lines of each part.
  private let lines: [PartName: [String]]
  private let report: String

  /// A log of at least three parts and six members.
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

  /// Whether readers say that the log is damaged, and else hand out the same lines and reports.
  ///
  /// - Parameter part: The one part that is read; nil for all.
  /// - Returns: nil where they do neither.
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

  private static func lines(_ reader: StoreReader, of part: String? = nil) throws(FunnelError) -> [PartName: [String]] {
    var lines: [PartName: [String]] = [:]
    for member in try reader.members() where part == nil || part == "store/\(member.part)" {
      let text = String(decoding: try reader.read(member), as: UTF8.self)
      lines[member.part, default: []] += text.split(separator: "\n").map(String.init)
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
