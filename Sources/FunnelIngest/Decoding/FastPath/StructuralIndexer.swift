internal import CSimdJSON
import FunnelModel

/// Finds where the tokens of many lines begin at once: simdjson's first stage, which reads 64 bytes at a time.
///
/// It knows strings, and so which brackets, colons and commas are structure; it checks UTF-8, and that no string holds a control character,
/// a line break least of all. It knows no grammar: that is for the ``LineWalker``. Not to be shared between threads.
final class StructuralIndexer {
  private var indexer: OpaquePointer
  private var bytesMax: Int

  init() {
    bytesMax = 0
    indexer = Self.make(bytesMax: 1 << 18)
    bytesMax = 1 << 18
  }

  deinit {
    funnel_json_indexer_destroy(indexer)
  }

  /// The positions of the tokens, valid until the next call; behind the last, the length of the text follows a few times. Nil where something
  /// in the text is off. ``LineParser/paddingBytes`` after the text must be readable.
  func tokens(of text: UnsafeRawBufferPointer) -> UnsafeBufferPointer<UInt32>? {
    if text.count > bytesMax { grow(to: text.count) }
    var positions: UnsafePointer<UInt32>?
    var count = 0
    let start = text.baseAddress?.assumingMemoryBound(to: CChar.self)
    guard funnel_json_index(indexer, start, text.count, &positions, &count) == FUNNEL_JSON_OK else { return nil }
    return UnsafeBufferPointer(start: positions, count: count)
  }

  /// Takes the escapes out of a string that starts behind its opening quote, and returns the length of what is left; nil where an escape is
  /// wrong. The result needs room for as many bytes as the string has, and the padding.
  func unescape(_ text: UnsafePointer<UInt8>, into result: UnsafeMutablePointer<UInt8>) -> Int? {
    let count = text.withMemoryRebound(to: CChar.self, capacity: 1) { text in
      result.withMemoryRebound(to: CChar.self, capacity: 1) { funnel_json_unescape(indexer, text, $0) }
    }
    return count < 0 ? nil : count
  }

  /// The value of a number in JSON's grammar; infinite where no double is that large.
  static func number(_ text: UnsafePointer<UInt8>, count: Int) -> Double {
    text.withMemoryRebound(to: CChar.self, capacity: count) { funnel_json_number($0, $0 + count) }
  }

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
