/// Room for the strings of one line whose escapes were taken out, and for what else a line needs for a moment.
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

  /// Room for the result of a string of so many bytes; nil where the line has too much of it.
  func room(for count: Int) -> UnsafeMutablePointer<UInt8>? {
    used + count + 2 * LineParser.paddingBytes <= Self.capacity ? base + used : nil
  }

  /// Keeps what was put there, and padding behind it.
  func take(_ count: Int) { used += count + LineParser.paddingBytes }
}
