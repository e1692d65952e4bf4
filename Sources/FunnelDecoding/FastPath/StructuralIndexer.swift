internal import CSimdJSON
import FunnelModel

/// Finds the JSON tokens of a batch of lines with simdjson's first stage, 64 bytes at a time.
///
/// A token is a bracket, a brace, a colon, a comma, the opening quote of a string, or the first byte of another
/// scalar. The indexer validates UTF-8, and that no string contains a control character such as a line break.
/// It does not check the grammar: ``LineWalker`` does. Not thread-safe: each worker owns one.
final class StructuralIndexer {
  private var indexer: OpaquePointer
  /// The length of the longest text for which the indexer has memory, in bytes.
  private var bytesMax: Int

  /// The initial memory: twice a batch of ``BlockDecoder``.
  private static let initialBytesMax = 1 << 18

  /// Creates an indexer, which grows with the texts.
  init() {
    indexer = Self.make(bytesMax: Self.initialBytesMax)
    bytesMax = Self.initialBytesMax
  }

  deinit {
    funnel_json_indexer_destroy(indexer)
  }

  /// Returns the offsets of the tokens, or `nil` if the text is invalid.
  ///
  /// The offsets are valid until the next call. The length of the text follows the last offset a few times, so
  /// reading a few tokens beyond the end is safe. ``LineParser/paddingBytes`` after the text must be readable.
  func tokens(of text: UnsafeRawBufferPointer) -> UnsafeBufferPointer<UInt32>? {
    if text.count > bytesMax { grow(to: text.count) }
    var positions: UnsafePointer<UInt32>?
    var count = 0
    let start = text.baseAddress?.assumingMemoryBound(to: CChar.self)
    guard funnel_json_index(indexer, start, text.count, &positions, &count) == FUNNEL_JSON_OK else { return nil }
    return UnsafeBufferPointer(start: positions, count: count)
  }

  /// Decodes the escapes of a string.
  ///
  /// - Parameters:
  ///   - text: The first byte after the opening quote.
  ///   - result: Memory for as many bytes as the string has, and for ``LineParser/paddingBytes``.
  /// - Returns: The length of the result in bytes, or `nil` if an escape is invalid.
  func unescape(_ text: UnsafePointer<UInt8>, into result: UnsafeMutablePointer<UInt8>) -> Int? {
    let count = text.withMemoryRebound(to: CChar.self, capacity: 1) { text in
      result.withMemoryRebound(to: CChar.self, capacity: 1) { funnel_json_unescape(indexer, text, $0) }
    }
    return count < 0 ? nil : count
  }

  /// Returns the value of a valid JSON number, or infinity if it is too large for a double.
  static func number(_ text: UnsafePointer<UInt8>, count: Int) -> Double {
    text.withMemoryRebound(to: CChar.self, capacity: count) { funnel_json_number($0, $0 + count) }
  }

  /// Replaces the indexer by one for longer texts.
  private func grow(to count: Int) {
    let larger = Self.make(bytesMax: count)
    funnel_json_indexer_destroy(indexer)
    indexer = larger
    bytesMax = count
  }

  private static func make(bytesMax: Int) -> OpaquePointer {
    guard let indexer = funnel_json_indexer_create(bytesMax) else {
      fatalError("no memory to parse \(bytesMax) bytes")
    }
    return indexer
  }
}
