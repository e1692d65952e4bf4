package import FunnelDecoding
package import FunnelModel
import FunnelSystem

extension InputReader {
  /// Reads files, decodes their blocks on several threads, and passes the results to a closure in the order of
  /// the input.
  ///
  /// - Parameter consume: Receives a block and the number of bytes of files that were read so far.
  /// - Throws: `noInput` or `inputOutput` if a file can't be read, and the errors of `consume`.
  package static func forEachDecodedBlock(
    of files: [InputFile], catalog: FlowCatalog, options: DecodingOptions, threads: Int, wanting wants: DecodingWants,
    _ consume: (_ block: DecodedBlock, _ fileBytes: Int) throws -> Void
  ) throws {
    let pool = BlockPool(blockBytesTarget: Limits.memberRawBytesTarget)
    var reader = InputReader(files: files, imports: options.imports, pool: pool)
    try OrderedPipeline.run(
      threads: threads,
      next: { try reader.next() },
      makeWorker: { BlockDecoder(options: options, catalog: catalog) },
      transform: { decoder, block in
        defer { pool.give(block) }
        return decoder.decode(block, wanting: wants)
      },
      consume: { try consume($0, reader.fileByteCount) })
  }
}
