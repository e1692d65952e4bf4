import FunnelModel

/// A cache of keys that are not personal data according to some privacy rules.
///
/// A log contains few distinct keys. A cache hit takes a few instructions, evaluating the rules some hundred. Each key has
/// one slot, and a new key replaces the previous one in its slot. Not thread-safe: each worker owns one.
final class CleanKeys {
  /// A key of up to 32 bytes, padded with zeros.
  private typealias Text = (UInt64, UInt64, UInt64, UInt64)

  /// The maximum length of a cached key in bytes.
  private static let keyBytesMax = 32
  private static let slotBits = 9
  private static let slotCount = 1 << slotBits
  /// 2⁶⁴ divided by the golden ratio, the multiplier of Fibonacci hashing.
  private static let multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15

  private let rules: PrivacyRules
  private let texts = UnsafeMutablePointer<Text>.allocate(capacity: slotCount)
  /// The length of the key in each slot, or 0 if the slot is free.
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

  /// Whether a key is personal data. Seven bytes after the key must be readable.
  @inline(__always)
  func isPersonal(_ key: UnsafeRawBufferPointer) -> Bool {
    guard key.count > 0, key.count <= Self.keyBytesMax else { return rules.isPersonal(key: key) }
    let text = Self.text(of: key)
    let mixed = (text.0 ^ text.1 &* Self.multiplier ^ text.2 ^ text.3) &+ UInt64(truncatingIfNeeded: key.count)
    // Fibonacci hashing: the highest bits of the product select the slot.
    let slot = Int(truncatingIfNeeded: (mixed &* Self.multiplier) >> (UInt64.bitWidth - Self.slotBits))
    if Int(counts[slot]) == key.count, texts[slot] == text { return false }
    return lookUp(key, text, slot)
  }

  /// Evaluates the rules for a key that is not cached, and caches it if it is not personal data.
  private func lookUp(_ key: UnsafeRawBufferPointer, _ text: Text, _ slot: Int) -> Bool {
    if rules.isPersonal(key: key) { return true }
    (texts + slot).initialize(to: text)
    counts[slot] = UInt8(key.count)
    return false
  }

  /// Returns the bytes of a key as words, padded with zeros.
  @inline(__always)
  private static func text(of key: UnsafeRawBufferPointer) -> Text {
    let start = key.baseAddress!
    func word(_ number: Int) -> UInt64 {
      let remaining = key.count &- 8 &* number
      return remaining <= 0 ? 0 : ByteWords.word(start + 8 &* number, count: min(remaining, 8))
    }
    return (word(0), word(1), word(2), word(3))
  }
}
