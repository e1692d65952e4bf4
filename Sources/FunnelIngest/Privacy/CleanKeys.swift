import FunnelModel

/// A cache of keys that privacy rules were found not to list; a log contains few distinct keys.
///
/// Each key hashes to one slot, and a later key replaces an earlier one in the same slot. A cache hit takes a few instructions, evaluating
/// the rules some hundred. A cache must not be shared between threads.
final class CleanKeys {
  /// A key of up to 32 bytes, padded with zeros.
  private typealias Text = (UInt64, UInt64, UInt64, UInt64)

  private static let keyBytesMax = 32
  private static let slotCount = 512

  private let rules: PrivacyRules
  private let texts = UnsafeMutablePointer<Text>.allocate(capacity: slotCount)
  /// The length of each slot's key, or 0 for a free slot.
  private let counts = UnsafeMutablePointer<UInt8>.allocate(capacity: slotCount)

  /// Creates an empty cache for some rules.
  init(_ rules: PrivacyRules) {
    self.rules = rules
    counts.initialize(repeating: 0, count: Self.slotCount)
  }

  deinit {
    texts.deallocate()
    counts.deallocate()
  }

  /// Returns whether a key names personal data. The key's bytes must be followed by padding.
  @inline(__always)
  func isPersonal(_ key: UnsafeRawBufferPointer) -> Bool {
    guard key.count > 0, key.count <= Self.keyBytesMax else { return rules.isPersonal(key: key) }
    let text = Self.text(of: key)
    let mixed = (text.0 ^ text.1 &* 0x9E37_79B9_7F4A_7C15 ^ text.2 ^ text.3) &+ UInt64(truncatingIfNeeded: key.count)
    // Fibonacci hashing: the top 9 bits of the product select one of the 512 slots.
    let slot = Int(truncatingIfNeeded: (mixed &* 0x9E37_79B9_7F4A_7C15) >> 55)
    if Int(counts[slot]) == key.count, texts[slot] == text { return false }
    return lookUp(key, text, slot)
  }

  private func lookUp(_ key: UnsafeRawBufferPointer, _ text: Text, _ slot: Int) -> Bool {
    if rules.isPersonal(key: key) { return true }
    (texts + slot).initialize(to: text)
    counts[slot] = UInt8(key.count)
    return false
  }

  @inline(__always)
  private static func text(of key: UnsafeRawBufferPointer) -> Text {
    let start = key.baseAddress!
    func word(_ number: Int) -> UInt64 {
      let rest = key.count &- 8 &* number
      return rest <= 0 ? 0 : ByteWords.word(start + 8 &* number, count: min(rest, 8))
    }
    return (word(0), word(1), word(2), word(3))
  }
}
