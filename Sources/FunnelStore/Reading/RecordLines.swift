package import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The lines of an inflated gzip member, in order, blank ones included.
///
///     for line in RecordLines(of: raw) where !line.isBlank { read(raw[line.text]) }
///
/// Only what is read back from a store is cut by this. ``LineSplitter`` of FunnelIngest cuts input, which arrives in pieces and may have
/// lines of any length.
package struct RecordLines: Sequence {
  /// A line and its place.
  package struct Line: Hashable, Sendable {
    /// The number of the line, from 1.
    package var number: Int
    /// The range of its bytes, without the line feed.
    package var text: Range<Int>
    /// The range of its bytes, with the line feed. Equal to ``text`` if the line has none, which only the last one may lack.
    package var whole: Range<Int>

    /// Whether the line ends in a line feed.
    package var isEnded: Bool { whole.count > text.count }
    /// Whether the line has no bytes but a line feed.
    package var isBlank: Bool { text.isEmpty }

    /// Returns the line as one of a batch that shares the bytes.
    ///
    /// - Parameter chunk: The index of the bytes among the chunks of the batch.
    package func batchLine(at timestamp: Timestamp, chunk: Int = 0) -> RecordBatch.Line {
      .init(
        milliseconds: timestamp.milliseconds, start: whole.lowerBound, byteCount: UInt32(whole.count), chunk: UInt32(chunk))
    }
  }

  private let bytes: [UInt8]

  /// Creates the lines of bytes.
  package init(of bytes: [UInt8]) { self.bytes = bytes }

  package func makeIterator() -> Iterator { Iterator(bytes: bytes) }

  /// Finds one line after another.
  package struct Iterator: IteratorProtocol {
    fileprivate let bytes: [UInt8]
    private var start = 0
    private var number = 0

    fileprivate init(bytes: [UInt8]) { self.bytes = bytes }

    package mutating func next() -> Line? {
      guard start < bytes.count else { return nil }
      let text = start..<(lineFeed ?? bytes.count)
      let whole = start..<Swift.min(text.upperBound + 1, bytes.count)
      start = whole.upperBound
      number += 1
      return Line(number: number, text: text, whole: whole)
    }

    private var lineFeed: Int? {
      bytes.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress, let found = memchr(base + start, 10, bytes.count - start) else { return nil }
        return UnsafeRawPointer(found) - base
      }
    }
  }
}
