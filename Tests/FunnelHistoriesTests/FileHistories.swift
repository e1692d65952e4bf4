import Foundation
import FunnelIngest
import FunnelHistories
import FunnelModel
import FunnelSchemas
import FunnelTestSupport

/// All histories of texts that are read as files, as sorted texts, and how they were come by.
struct FileHistories {
  var histories: [String] = []
  var counts = InputCounts()
  /// How often the histories were handed out, the last time for good.
  var handings = 0
  /// Whether a temporary file was open meanwhile. Only Linux tells.
  var hasSpilled = false

  /// Reads texts, each as a file of its own.
  init(
    _ texts: [String], catalog: FlowCatalog = Journeys.builtIn, query: ReportQuery, threads: Int = 1,
    memoryBytesMax: Int = Limits.memoryBytesMaxDefault
  ) throws {
    let folder = try TemporaryFolder()
    for (index, text) in texts.enumerated() { try folder.write(Array(text.utf8), to: "\(index).ndjson") }
    let options = DecodingOptions(now: Journeys.now, privacy: BuiltInSchemas.privacy)
    let input = HistoryTable.Input.files(
      try InputFile.files(at: [folder.path]), options: options, threads: threads, memoryBytesMax: memoryBytesMax)
    (histories, counts) = try HistoryTable.withHistories(
      of: input, catalog: catalog, query: query, flows: Set(catalog.definitions.indices), progress: { _ in }
    ) { (table) throws(FunnelError) in
      handings += 1
      hasSpilled = hasSpilled || Self.isTemporaryFileOpen
      return try HistoryTexts.all(of: table, query: query, catalog: catalog)
    }
    // The last line of a file is written without its break: how many bytes there are depends on the number of files.
    counts.bytes = 0
  }

  /// Whether this process has a file open that has no name any more and had one as temporary files have it.
  private static var isTemporaryFileOpen: Bool {
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return descriptors.contains { descriptor in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
      return target.map { $0.contains("/funnel.") && $0.hasSuffix("(deleted)") } ?? false
    }
  }
}

extension Array where Element == String {
  /// The lines as so many texts.
  func texts(_ count: Int) -> [String] {
    let size = (self.count + count - 1) / count
    return stride(from: 0, to: self.count, by: size).map { self[$0..<Swift.min($0 + size, self.count)].joined(separator: "\n") }
  }
}
