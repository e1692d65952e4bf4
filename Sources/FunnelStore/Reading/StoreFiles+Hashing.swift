import Crypto
import FunnelModel
import FunnelSystem

extension StoreFiles {
  /// The number of bytes that are read and hashed at once.
  private static let chunkBytes = 1 << 20

  /// Returns the SHA-256 of an extent's bytes on the disk, in hexadecimal.
  func sha256(of extent: Extent, in file: File) throws(FunnelError) -> String {
    var digest = SHA256()
    let end = extent.offset + extent.bytes
    for offset in stride(from: extent.offset, to: end, by: Self.chunkBytes) {
      digest.update(data: try fileSystem.read(file, at: offset, count: min(Self.chunkBytes, end - offset)))
    }
    return digest.finalize().hexadecimal
  }

  /// Reads new extents back from the disk, on several threads, and checks their hashes.
  ///
  /// It is called before the commit is made, so that nothing is removed whose replacement is damaged.
  ///
  /// - Throws: `inputOutput` if a hash does not match.
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
