package import FunnelDecoding
package import FunnelModel
import FunnelSystem

/// Distributes the lines of an input to shards. All events of a subject are in one shard, and with links all events of a person.
package enum Sharding {
  /// The summary of the input.
  package struct Summary: Sendable {
    /// The numbers of lines, events and rejections.
    package fileprivate(set) var counts = InputCounts()
    /// A sentence for each damaged file. Lines after the damage are missing.
    package fileprivate(set) var damage: [String] = []
    /// Whether events of one person may be in several shards: an event names a user other than its subject, and no links
    /// were given.
    package fileprivate(set) var lacksLinks = false
  }

  /// Writes each line as `SHARD<TAB>LINE`, in the order of the input.
  ///
  /// - Parameters:
  ///   - catalog: The current flow definitions, by which events are validated.
  ///   - shardCount: The number of shards, at least one.
  ///   - links: The links of all inputs that are aggregated together, or `nil` to distribute the lines by subject alone.
  ///   - write: Called with complete lines.
  /// - Throws: `noInput` or `inputOutput` if a file can't be read, `unusableInput` if the links lack one of an event.
  package static func shard(
    _ files: [InputFile], options: DecodingOptions, catalog: FlowCatalog, shardCount: Int, links: LinkedSubjects? = nil,
    threads: Int, write: ([UInt8]) -> Void
  ) throws(FunnelError) -> Summary {
    precondition(shardCount > 0, "there is at least one shard")
    var summary = Summary()
    try decode(files, options: options, catalog: catalog, threads: threads) {
      (decoder, block) throws(FunnelError) -> ShardLines in
      var lines = ShardLines(shardCount: shardCount, links: links)
      lines.begin(block)
      decoder.decode(block, into: &lines)
      guard !lines.lacksLink else { throw missingLink(in: block) }
      return lines
    } consume: { (lines: ShardLines) in
      write(lines.bytes)
      summary.counts.add(lines.counts)
      summary.damage += lines.damage
      summary.lacksLinks = summary.lacksLinks || lines.namesOtherUsers && links == nil
    }
    return summary
  }

  /// Returns the distinct links of the events of an input, as the lines of a link file (``LinkLines``), sorted by their bytes.
  ///
  /// - Parameter catalog: The current flow definitions, by which events are validated.
  /// - Throws: `noInput` or `inputOutput` if a file can't be read.
  package static func links(
    of files: [InputFile], options: DecodingOptions, catalog: FlowCatalog, threads: Int
  ) throws(FunnelError) -> (lines: [UInt8], summary: Summary) {
    var links = LinkLines()
    try decode(files, options: options, catalog: catalog, threads: threads) {
      (decoder, block) throws(FunnelError) -> LinkLines in
      var lines = LinkLines()
      lines.begin(block)
      decoder.decode(block, into: &lines)
      return lines
    } consume: { (lines: LinkLines) in
      links.add(lines)
    }
    var summary = Summary()
    summary.counts = links.counts
    summary.damage = links.damage
    return (links.sorted, summary)
  }

  /// Decodes the blocks of an input on several threads, and passes the results on in the order of the input.
  private static func decode<Lines: Sendable>(
    _ files: [InputFile], options: DecodingOptions, catalog: FlowCatalog, threads: Int,
    transform: @escaping @Sendable (inout BlockDecoder, LineBlock) throws(FunnelError) -> Lines, consume: (Lines) -> Void
  ) throws(FunnelError) {
    let pool = BlockPool(blockBytesTarget: Limits.memberRawBytesTarget)
    var reader = InputReader(files: files, imports: options.imports, pool: pool)
    try OrderedPipeline.run(
      threads: threads,
      next: { () throws(FunnelError) in try reader.next() },
      makeWorker: { BlockDecoder(options: options, catalog: catalog) },
      transform: { (decoder, block) throws(FunnelError) in
        defer { pool.give(block) }
        return try transform(&decoder, block)
      },
      consume: { (lines: Lines) throws(FunnelError) in consume(lines) })
  }

  private static func missingLink(in block: LineBlock) -> FunnelError {
    FunnelError(
      .unusableInput,
      "\(block.place.file), an event names a user whom the links do not connect with its subject, write the links of all inputs first: funnel shard --links FILE INPUT…"
    )
  }
}
