package import FunnelDecoding
package import FunnelModel
import FunnelSystem

extension KeyStatistics {
  /// Returns the statistics of the keys in event files. Duplicates are counted.
  ///
  /// - Parameters:
  ///   - filter: The filter for the events.
  ///   - catalog: The current flow definitions, which assign events to flows.
  ///   - rawBytesMax: The number of inflated bytes after which no further block is read.
  ///   - progress: Called after each block.
  /// - Returns: The statistics, and the numbers of lines and rejections.
  /// - Throws: `noInput` or `inputOutput` if a file can't be read.
  package static func ofFiles(
    _ files: [InputFile], options: DecodingOptions, matching filter: LogFilter = LogFilter(), catalog: FlowCatalog,
    threads: Int,
    rawBytesMax: Int = .max, progress: (InputProgress) -> Void = { _ in }
  ) throws -> (KeyStatistics, InputCounts) {
    let pool = BlockPool(blockBytesTarget: Limits.memberRawBytesTarget)
    var reader = InputReader(files: files, imports: options.imports, pool: pool)
    var rawBytes = 0
    var statistics = KeyStatistics()
    var total = InputCounts()
    try OrderedPipeline.run(
      threads: threads,
      next: { () throws -> LineBlock? in
        guard rawBytes < rawBytesMax, let block = try reader.next() else { return nil }
        rawBytes += block.byteCount
        return block
      },
      makeWorker: { Worker(options: options, catalog: catalog, filter: filter) },
      transform: { worker, block in
        defer { pool.give(block) }
        return worker.count(block)
      },
      consume: { counted in
        statistics.add(counted.keys)
        total.add(counted.counts)
        progress(InputProgress(events: total.events, bytes: total.bytes, fileBytes: reader.fileByteCount))
      })
    return (statistics, total)
  }
}
