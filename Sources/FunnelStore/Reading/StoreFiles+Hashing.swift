import Crypto
import FunnelModel
import FunnelSystem

extension StoreFiles {
  /// The number of bytes that are read and hashed at once.
  private static let chunkBytes = 1 << 20

  /// Returns the hash of the bytes on disk in the range of an extent, in hexadecimal like the journal's.
  func sha256(of extent: Extent, in file: File) throws(FunnelError) -> String {
    var digest = SHA256()
    let end = extent.offset + extent.bytes
    for offset in stride(from: extent.offset, to: end, by: Self.chunkBytes) {
      digest.update(data: try fileSystem.read(file, at: offset, count: min(Self.chunkBytes, end - offset)))
    }
    return digest.finalize().hexadecimal
  }

  /// Reads back what was written for a commit that is not made yet, on several threads.
  ///
  /// - Throws: `inputOutput` if a byte differs from what was written: then nothing that it would replace may be removed.
  func requireWritten(_ extents: [Extent], threads: Int) throws(FunnelError) {
    _ = try Parallel.map(count: extents.count, threads: threads) { (index) throws(FunnelError) in
      let extent = extents[index]
      let file = try fileSystem.open(path(of: extent.part), for: .read)
      guard try sha256(of: extent, in: file) == extent.sha256 else {
        throw FunnelError(
          .inputOutput,
          "\(path(of: extent.part)) does not contain what was written to it, so nothing was changed; check disk and memory")
      }
    }
  }
}
