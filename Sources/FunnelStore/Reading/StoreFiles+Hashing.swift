import Crypto
import FunnelModel
import FunnelSystem

extension StoreFiles {
  /// Bytes read at once to be hashed.
  private static let chunkBytes = 1 << 20

  /// The hash of what the disk holds where an extent is, in hexadecimal, as the journal has it.
  func sha256(of extent: Extent, in file: File) throws(FunnelError) -> String {
    var digest = SHA256()
    let end = extent.offset + extent.bytes
    for offset in stride(from: extent.offset, to: end, by: Self.chunkBytes) {
      digest.update(data: try fileSystem.read(file, at: offset, count: min(Self.chunkBytes, end - offset)))
    }
    return digest.finalize().hexadecimal
  }

  /// Reads back what was written of a commit that is not made yet, on several threads.
  ///
  /// - Throws: `inputOutput` where a byte is not what it was to be: nothing may go whose place that would take.
  func requireWritten(_ extents: [Extent], threads: Int) throws(FunnelError) {
    _ = try Parallel.map(count: extents.count, threads: threads) { (index) throws(FunnelError) in
      let extent = extents[index]
      let file = try fileSystem.open(path(of: extent.part), for: .read)
      guard try sha256(of: extent, in: file) == extent.sha256 else {
        throw FunnelError(
          .inputOutput,
          "\(path(of: extent.part)) does not hold what was written to it, so nothing was changed; check disk and memory")
      }
    }
  }
}
