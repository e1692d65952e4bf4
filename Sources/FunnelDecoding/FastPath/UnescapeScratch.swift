/// Temporary memory of ``LineWalker`` for one line: its unescaped strings, and the keys of its unknown fields.
final class UnescapeScratch {
  private static let capacity = 1 << 17
  /// The maximum number of fields outside the envelope.
  static let unknownMax = 16

  private let arena = Arena()
  private let memory: Table<UInt8>
  /// The key tokens of the line's fields that are not part of the envelope.
  let unknownTokens: Table<Int>
  /// The number of bytes in use for the strings of the current line.
  private var used = 0

  /// Allocates the memory.
  init() {
    memory = arena.table(count: Self.capacity)
    unknownTokens = arena.table(repeating: 0, count: Self.unknownMax)
  }

  /// Discards the strings, before the next line.
  @inline(__always)
  func clear() { used = 0 }

  /// Returns a string without its escapes, valid until ``clear()``. Returns `nil` if an escape is invalid or the memory is full.
  ///
  /// - Parameter text: The string after its opening quote. Its closing quote must follow.
  func unescape(_ text: PaddedText, with indexer: StructuralIndexer) -> PaddedText? {
    guard used + text.count + 2 * LineParser.paddingBytes <= Self.capacity,
      let count = indexer.unescape(text, into: memory[used..<Self.capacity])
    else { return nil }
    defer { used += count + LineParser.paddingBytes }
    return memory.text(at: used, count: count)
  }
}
