import CArchive
import FunnelModel

/// Inflates a complete zstd file in memory (RFC 8878), of one or more frames. Not thread-safe.
///
/// Invariants of the memory, on which all calls of libarchive rely:
/// - The compressed bytes are copied, and the copy outlives the archive, which refers to it by an address.
/// - A call gets the address and the length of free memory, and keeps neither.
package final class ZstdInflater {
  /// The status after a call.
  package enum Status: Hashable, Sendable {
    /// There may be more output: call again with room for it.
    case outputFull
    /// All bytes were inflated.
    case finished
    /// The data violates the format, is incomplete, or is followed by other bytes.
    case corrupt
  }

  private let archive: OpaquePointer
  private let compressed: PaddedBytes
  private let frames: ZstdFrames

  /// Creates an inflater. Returns `nil` if the bytes are not complete zstd frames with windows of at most
  /// ``ZstdFrames/windowBytesMax``.
  package init?(_ compressed: PaddedBytes) {
    // libarchive accepts any window, and passes on bytes that are no zstd at all.
    guard let frames = ZstdFrames(compressed.span), let archive = archive_read_new() else { return nil }
    self.compressed = compressed
    self.frames = frames
    self.archive = archive
    archive_read_append_filter(archive, ARCHIVE_FILTER_ZSTD)
    archive_read_support_format_raw(archive)
    let opened = compressed.withPaddedPointer { start, count in archive_read_open_memory(archive, start, count) }
    var entry: OpaquePointer?
    guard opened == ARCHIVE_OK, archive_read_next_header(archive, &entry) == ARCHIVE_OK else { return nil }
  }

  deinit { archive_read_free(archive) }

  /// An upper bound of the memory of the inflater, without the compressed bytes.
  package var memoryBytes: Int { frames.memoryBytes }

  /// Inflates as much as fits into the output, and appends it.
  package func inflate(into output: inout OutputSpan<UInt8>) -> Status {
    output.withUnsafeMutableBufferPointer { buffer, initializedCount in
      while initializedCount < buffer.count {
        let room = UnsafeMutableBufferPointer(rebasing: buffer[initializedCount...])
        let count = archive_read_data(archive, room.baseAddress, room.count)
        if count < 0 { return .corrupt }
        if count == 0 { return .finished }
        initializedCount += count
      }
      return .outputFull
    }
  }
}
