package import FunnelModel
package import FunnelSystem

/// A disk that changes a byte of one write to a part without reporting an error.
package final class LyingFileSystem: FrontFileSystem {
  /// The position of the byte in a gzip member.
  package enum Place: Sendable {
    /// In the deflate stream, which gzip's checksum covers.
    case stream
    /// In the header's largest timestamp, which no checksum covers.
    case header
  }

  package let disk = FaultyFileSystem()
  private let changedWrite: Int
  private let place: Place
  private let counter = Guarded(0)

  /// - Parameter number: The number of the write that is changed, from 1. Each write is of one gzip member.
  package init(changingWrite number: Int, in place: Place = .stream) {
    (changedWrite, self.place) = (number, place)
  }

  /// The number of writes to parts so far.
  package var writes: Int { counter.withLock { $0 } }

  package var hasLied: Bool { writes >= changedWrite }

  package func write(_ bytes: Span<UInt8>, to file: File, at offset: Int) throws(FunnelError) {
    var copy = [UInt8](copying: bytes)
    if file.path.description.hasSuffix(".gz") {
      let number = counter.withLock { count in
        count += 1
        return count
      }
      if number == changedWrite { copy[place == .stream ? copy.count - 12 : 40] ^= 4 }
    }
    try disk.write(copy, to: file, at: offset)
  }
}
