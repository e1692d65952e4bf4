internal import CSimdJSON
import FunnelModel

// The calls of simdjson's first stage, and the batch of lines that it returns.
//
// Invariants of this file, on which the fast path relies:
// - A batch is valid until the indexer finds the tokens of the next one, and as long as the text.
// - The indexer has memory for the text, and `LineParser.paddingBytes` readable bytes follow the text (`BlockText`).
// - After the last token, the indexer stores the length of the text `FUNNEL_JSON_INDEX_MARGIN` times. So a few tokens
//   beyond the end can be read, and none of them is within a line.

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

  /// Returns a text with its tokens, or `nil` if the text is invalid or has no tokens. The batch is valid until the next call.
  func batch(of text: BlockText) -> LineBatch? {
    if text.count > bytesMax { grow(to: text.count) }
    var positions: UnsafePointer<UInt32>?
    var count = 0
    let start = text.raw.baseAddress?.assumingMemoryBound(to: CChar.self)
    guard funnel_json_index(indexer, start, text.count, &positions, &count) == FUNNEL_JSON_OK, let positions else { return nil }
    return LineBatch(text: text, positions: positions, tokenCount: count)
  }

  /// Decodes the escapes of a string.
  ///
  /// - Parameters:
  ///   - text: The string after its opening quote. Its closing quote must follow.
  ///   - result: Memory for as many bytes as the string has, and for ``LineParser/paddingBytes``.
  /// - Returns: The length of the result in bytes, or `nil` if an escape is invalid.
  func unescape(_ text: PaddedText, into result: Table<UInt8>) -> Int? {
    precondition(result.count >= text.count + LineParser.paddingBytes, "the memory has room for the string and the padding")
    let count = result.withCharacters {
      funnel_json_unescape(indexer, text.raw.baseAddress?.assumingMemoryBound(to: CChar.self), $0)
    }
    return count < 0 ? nil : count
  }

  /// Returns the value of a valid JSON number, or infinity if it is too large for a double.
  static func number(_ text: Span<UInt8>) -> Double {
    text.bytes.withUnsafeBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        guard let first = characters.baseAddress else { return .infinity }
        return funnel_json_number(first, first + characters.count)
      }
    }
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

/// A text of whole lines, and the offsets of its tokens.
struct LineBatch: BitwiseCopyable {
  /// The lines.
  let text: BlockText
  /// The number of tokens.
  let tokenCount: Int
  private let positions: UnsafePointer<UInt32>

  /// The number of tokens that can be read after the last one. Their offset is the length of the text.
  private static let marginCount = Int(FUNNEL_JSON_INDEX_MARGIN)

  /// A batch without lines, from which no token can be read.
  static var empty: LineBatch {
    let nowhere = UnsafePointer<UInt32>(bitPattern: MemoryLayout<UInt32>.alignment).unsafelyUnwrapped
    return LineBatch(text: .empty, positions: nowhere, tokenCount: -marginCount)
  }

  fileprivate init(text: BlockText, positions: UnsafePointer<UInt32>, tokenCount: Int) {
    self.text = text
    self.positions = positions
    self.tokenCount = tokenCount
  }

  /// Returns the offset of a token, or the length of the text for a token after the last one.
  @inline(__always)
  func offset(ofToken index: Int) -> Int {
    assert(index >= 0 && index < tokenCount + Self.marginCount, "the index is that of a token, or little more")
    return Int(positions[index])
  }

  /// Returns the bytes from a token to the next one, without the first and the last: if the tokens are those of a key and
  /// its colon, and no white space precedes the colon, the key without its quotes. Returns no bytes if there are fewer.
  @inline(__always)
  func key(atToken index: Int) -> PaddedText {
    let key = offset(ofToken: index)
    let count = offset(ofToken: index &+ 1) &- key &- 2
    return text.text(at: min(key &+ 1, text.count), count: max(count, 0))
  }

  /// Returns the first byte of a token.
  @inline(__always)
  func byte(ofToken index: Int) -> UInt8 { text[offset(ofToken: index)] }
}
