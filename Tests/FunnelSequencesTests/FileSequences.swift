import Foundation
import FunnelDecoding
import FunnelIngest
import FunnelSequences
import FunnelImport
import FunnelModel
import FunnelSchemas
import FunnelTestSupport

/// The histories of texts that are read as files, as sorted texts, and how they were read.
struct FileHistories {
  var sequences: [String] = []
  var counts = InputCounts()
  /// The number of times that a table was passed to the body; only the result of the last time is used.
  var handings = 0
  /// Whether a temporary file was open while the table was read. This can be seen on Linux only.
  var hasSpilled = false

  /// Reads each text as a file.
  init(
    _ texts: [String], catalog: FlowCatalog = Journeys.builtIn, query: ReportQuery, threads: Int = 1,
    memoryBytesMax: Int = Limits.memoryBytesMaxDefault
  ) throws {
    let folder = try TemporaryFolder()
    for (index, text) in texts.enumerated() { try folder.write(Array(text.utf8), to: "\(index).ndjson") }
    let options = DecodingOptions(now: Journeys.now, privacy: BuiltInSchemas.privacy)
    let input = SequenceTable.Input.files(
      try InputFile.files(at: [folder.path]), options: options, threads: threads, memoryBytesMax: memoryBytesMax)
    (sequences, counts) = try SequenceTable.withSequences(
      of: input, catalog: catalog, query: query, flows: Set(catalog.definitions.indices), progress: { _ in }
    ) { (table) throws(FunnelError) in
      handings += 1
      hasSpilled = hasSpilled || Self.isTemporaryFileOpen
      return try HistoryTexts.all(of: table, query: query, catalog: catalog)
    }
    // The last line of a file has no line feed, so the number of bytes depends on the number of files.
    counts.bytes = 0
    // The number of files and their names differ, too.
    counts.imports = ImportCounts()
  }

  /// Whether this process has an open temporary file that has no name any more.
  private static var isTemporaryFileOpen: Bool {
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return descriptors.contains { descriptor in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
      return target.map { $0.contains("/funnel.") && $0.hasSuffix("(deleted)") } ?? false
    }
  }
}

extension Array where Element == String {
  /// Returns the lines as a number of texts.
  func texts(_ count: Int) -> [String] {
    let size = (self.count + count - 1) / count
    return stride(from: 0, to: self.count, by: size).map { self[$0..<Swift.min($0 + size, self.count)].joined(separator: "\n") }
  }
}
