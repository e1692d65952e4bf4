/// Temporary memory of ``LineWalker`` for one line, mainly for its unescaped strings.
final class UnescapeScratch {
  private static let capacity = 1 << 17

  let base = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
  /// The key tokens of the line's fields that are not part of the envelope, at most 16.
  let unknownTokens = UnsafeMutablePointer<Int>.allocate(capacity: 16)
  /// The number of bytes in use for the strings of the current line.
  private var used = 0

  deinit {
    base.deallocate()
    unknownTokens.deallocate()
  }

  /// Discards the strings, before the next line.
  @inline(__always)
  func clear() { used = 0 }

  /// Returns memory for unescaping a string of `count` bytes, or `nil` if the remaining memory is too small.
  /// The memory is reused by the next call unless ``take(_:)`` reserves it.
  func room(for count: Int) -> UnsafeMutablePointer<UInt8>? {
    used + count + 2 * LineParser.paddingBytes <= Self.capacity ? base + used : nil
  }

  /// Reserves the first `count` bytes of the memory that ``room(for:)`` returned, and padding after them.
  func take(_ count: Int) { used += count + LineParser.paddingBytes }
}
