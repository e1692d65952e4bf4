/// Compresses whole buffers with deflate (RFC 1951), reusing its working memory. Not thread-safe: each worker owns one.
package final class Deflater {
  /// The library that compresses, and its level.
  package enum Method: Hashable, Sendable {
    /// zlib, level 1 to 9; 9 is for archives.
    case zlib(level: Int32)
    #if FUNNEL_ISAL
      /// ISA-L, level 1 or 3: several times faster than zlib's fastest level at a similar compression ratio.
      case isal(level: UInt32)
    #endif

    /// The fastest method available, for writing while a user waits.
    package static var fastest: Method {
      #if FUNNEL_ISAL
        .isal(level: 1)
      #else
        .zlib(level: 1)
      #endif
    }
  }

  private let engine: any DeflateEngine
  /// The output buffer. It is reused, because new memory costs more time than compressing into it.
  private let scratch = PaddedBytes()

  /// Creates a compressor.
  package init(_ method: Method = .fastest) {
    switch method {
    case .zlib(let level): engine = ZlibDeflateEngine(level: level)
    #if FUNNEL_ISAL
      case .isal(let level): engine = IsalDeflateEngine(level: level)
    #endif
    }
  }

  /// Appends the deflate stream of the bytes and the gzip trailer (RFC 1952 section 2.3): their CRC-32 and their length.
  func appendStreamAndTrailer(of raw: Span<UInt8>, to bytes: inout [UInt8]) {
    let scratch = scratch
    scratch.removeAll()
    // The output is limited to the bound even if the buffer is larger, so that the result does not depend on earlier inputs.
    scratch.append(addingCapacity: Self.compressedBytesMax(of: raw.count)) { engine.deflate(raw, into: &$0) }
    bytes.reserveCapacity(bytes.count + scratch.count)
    bytes.append(copying: scratch.span)
  }

  /// Returns an upper bound of the length of the stream and trailer of `count` bytes, for both libraries.
  private static func compressedBytesMax(of count: Int) -> Int {
    // Deflate expands incompressible data by the header of each stored block.
    let blockHeaderBytes = 5
    // The smallest stored block that the libraries write, unless it is the last one.
    let blockBytesMin = 16_384
    // Slack for the trailer and the end of the stream. Both libraries' own bounds are below the sum.
    let slackBytes = count / 1000 + 512
    return count + blockHeaderBytes * (count / blockBytesMin + 1) + slackBytes
  }
}
