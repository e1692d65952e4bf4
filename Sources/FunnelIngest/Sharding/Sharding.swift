package import FunnelDecoding
package import FunnelModel
import FunnelSystem

/// Distributes the lines of an input to shards. All events of a subject are in one shard.
package enum Sharding {
  /// The summary of the input.
  package struct Summary: Sendable {
    /// The numbers of lines, events and rejections.
    package fileprivate(set) var counts = InputCounts()
    /// A sentence for each damaged file. Lines after the damage are missing.
    package fileprivate(set) var damage: [String] = []
  }

  /// Writes each line as `SHARD<TAB>LINE`, in the order of the input.
  ///
  /// - Parameters:
  ///   - catalog: The current flow definitions, by which events are validated.
  ///   - shardCount: The number of shards, at least one.
  ///   - write: Called with complete lines.
  /// - Throws: `noInput` or `inputOutput` if a file can't be read.
  package static func shard(
    _ files: [InputFile], options: DecodingOptions, catalog: FlowCatalog, shardCount: Int, threads: Int,
    write: ([UInt8]) -> Void
  ) throws(FunnelError) -> Summary {
    precondition(shardCount > 0, "there is at least one shard")
    let pool = BlockPool(blockBytesTarget: Limits.memberRawBytesTarget)
    var reader = InputReader(files: files, imports: options.imports, pool: pool)
    var summary = Summary()
    try OrderedPipeline.run(
      threads: threads,
      next: { () throws(FunnelError) in try reader.next() },
      makeWorker: { BlockDecoder(options: options, catalog: catalog) },
      transform: { (decoder, block) throws(FunnelError) in
        defer { pool.give(block) }
        var lines = ShardLines(shardCount: shardCount)
        lines.begin(block)
        decoder.decode(block, into: &lines)
        return lines
      },
      consume: { (lines: ShardLines) throws(FunnelError) in
        write(lines.bytes)
        summary.counts.add(lines.counts)
        summary.damage += lines.damage
      })
    return summary
  }
}
