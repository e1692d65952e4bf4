internal import CSimdJSON
import FunnelModel

/// Finds the tokens of many lines at once with simdjson's first stage, which reads 64 bytes at a time.
///
/// It recognizes strings, and so which brackets, colons and commas are structure. It checks UTF-8, and that no string contains a control
/// character such as a line break. It does not check the grammar: that is up to the ``LineWalker``. Not to be shared between threads.
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

  /// Returns the positions of the tokens, or nil if the text is invalid. They are valid until the next call, and the last one is followed
  /// by the length of the text a few times. ``LineParser/paddingBytes`` after the text must be readable.
  func tokens(of text: UnsafeRawBufferPointer) -> UnsafeBufferPointer<UInt32>? {
    if text.count > bytesMax { grow(to: text.count) }
    var positions: UnsafePointer<UInt32>?
    var count = 0
    let start = text.baseAddress?.assumingMemoryBound(to: CChar.self)
    guard funnel_json_index(indexer, start, text.count, &positions, &count) == FUNNEL_JSON_OK else { return nil }
    return UnsafeBufferPointer(start: positions, count: count)
  }

  /// Unescapes a string that starts behind its opening quote. Returns the length of the result, or nil if an escape is invalid. The result
  /// needs room for as many bytes as the string has, and for the padding.
  func unescape(_ text: UnsafePointer<UInt8>, into result: UnsafeMutablePointer<UInt8>) -> Int? {
    let count = text.withMemoryRebound(to: CChar.self, capacity: 1) { text in
      result.withMemoryRebound(to: CChar.self, capacity: 1) { funnel_json_unescape(indexer, text, $0) }
    }
    return count < 0 ? nil : count
  }

  /// Returns the value of a number in JSON's grammar, or infinity if it is too large for a double.
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
