import FunnelModel

/// A cache of keys that are not personal data according to some privacy rules.
///
/// A log contains few distinct keys. A cache hit takes a few instructions, evaluating the rules some hundred. Each key has
/// one slot, and a new key replaces the previous one in its slot. Not thread-safe: each worker owns one.
final class CleanKeys {
  /// The words of a key of up to ``keyBytesMax`` bytes, padded with zeros, and its length.
  private struct Entry: BitwiseCopyable {
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    /// The length of the key in bytes, or 0 if the slot is free.
    var byteCount = 0
  }

  /// The maximum length of a cached key in bytes.
  private static let keyBytesMax = 32
  private static let slotBits = 9
  /// 2⁶⁴ divided by the golden ratio, the multiplier of Fibonacci hashing.
  private static let multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15

  private let rules: PrivacyRules
  private let arena = Arena()
  private let slots: Table<Entry>

  /// Creates an empty cache for some rules.
  init(_ rules: PrivacyRules) {
    self.rules = rules
    slots = arena.table(repeating: Entry(), count: 1 << Self.slotBits)
  }

  /// Whether a key is personal data.
  @inline(__always)
  func isPersonal(_ key: Span<UInt8>) -> Bool {
    guard key.count > 0, key.count <= Self.keyBytesMax else { return rules.isPersonal(key: key) }
    let entry = Self.entry(of: key)
    let words = entry.words
    let mixed = (words.0 ^ words.1 &* Self.multiplier ^ words.2 ^ words.3) &+ UInt64(truncatingIfNeeded: key.count)
    // Fibonacci hashing: the highest bits of the product select the slot.
    let slot = Int(truncatingIfNeeded: (mixed &* Self.multiplier) >> (UInt64.bitWidth - Self.slotBits))
    let cached = slots[slot]
    if cached.byteCount == entry.byteCount, cached.words == words { return false }
    return lookUp(key, entry, slot)
  }

  /// Evaluates the rules for a key that is not cached, and caches it if it is not personal data.
  private func lookUp(_ key: Span<UInt8>, _ entry: Entry, _ slot: Int) -> Bool {
    if rules.isPersonal(key: key) { return true }
    slots[slot] = entry
    return false
  }

  /// Returns the cache entry of a key.
  @inline(__always)
  private static func entry(of key: Span<UInt8>) -> Entry {
    func word(_ index: Int) -> UInt64 {
      let remaining = key.count &- 8 &* index
      return remaining <= 0 ? 0 : key.word(at: 8 &* index, byteCount: min(remaining, 8))
    }
    return Entry(words: (word(0), word(1), word(2), word(3)), byteCount: key.count)
  }
}
