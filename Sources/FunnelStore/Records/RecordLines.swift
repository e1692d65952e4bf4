package import FunnelModel
import FunnelSystem

/// The lines of an inflated gzip member in order, including blank ones.
///
///     for line in RecordLines(of: raw) where !line.isBlank { read(raw[line.text]) }
///
/// It is for data that is read back from a store. Input, which arrives in pieces and may have lines of any length, is split by
/// `LineSplitter` of FunnelIngest.
package struct RecordLines: Sequence {
  /// The number and the ranges of a line.
  package struct Line: Hashable, Sendable {
    /// The number of the line, from 1.
    package var number: Int
    /// The range of the line without its line feed.
    package var text: Range<Int>
    /// The range of the line with its line feed. Equal to ``text`` if the last line has no line feed.
    package var whole: Range<Int>

    /// Whether the line ends in a line feed.
    package var isEnded: Bool { whole.count > text.count }
    /// Whether the line is empty.
    package var isBlank: Bool { text.isEmpty }

    /// Returns a reference to the line for a ``RecordBatch`` that shares the bytes.
    ///
    /// - Parameter chunk: The index of the bytes in the chunks of the batch.
    package func batchLine(at timestamp: Timestamp, chunk: Int = 0) -> RecordBatch.Line {
      .init(
        milliseconds: timestamp.milliseconds, start: whole.lowerBound, byteCount: UInt32(whole.count), chunk: UInt32(chunk))
    }
  }

  private let bytes: [UInt8]

  /// Creates the sequence of the lines in `bytes`.
  package init(of bytes: [UInt8]) { self.bytes = bytes }

  package func makeIterator() -> Iterator { Iterator(bytes: bytes) }

  /// An iterator over the lines.
  package struct Iterator: IteratorProtocol {
    fileprivate let bytes: [UInt8]
    /// The offset at which the next line begins.
    private var start = 0
    /// The number of the line that was returned last.
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

    /// The offset of the line feed that ends the next line, or `nil` if there is none.
    private var lineFeed: Int? {
      bytes.span.firstIndex(of: UInt8(ascii: "\n"), from: start)
    }
  }
}
