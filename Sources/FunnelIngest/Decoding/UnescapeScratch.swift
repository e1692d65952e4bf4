/// Memory for the unescaped strings of one line, and for other temporary data of a line.
final class UnescapeScratch {
  private static let capacity = 1 << 17

  let base = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
  let unknownTokens = UnsafeMutablePointer<Int>.allocate(capacity: 16)
  private var used = 0

  deinit {
    base.deallocate()
    unknownTokens.deallocate()
  }

  @inline(__always)
  func clear() { used = 0 }

  /// Returns memory for the result of unescaping `count` bytes, or nil if the line has too many of them.
  func room(for count: Int) -> UnsafeMutablePointer<UInt8>? {
    used + count + 2 * LineParser.paddingBytes <= Self.capacity ? base + used : nil
  }

  /// Keeps the bytes that were written there, and padding behind them.
  func take(_ count: Int) { used += count + LineParser.paddingBytes }
}
