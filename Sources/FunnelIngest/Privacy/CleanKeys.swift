import FunnelModel

/// Keys that were looked up in privacy rules before and name no personal data: few different keys occur in a log.
///
/// A key has one slot, by its hash; another key with the same slot takes its place. Looking at a key takes a few instructions, asking the rules some
/// hundred. Not to be shared between threads.
final class CleanKeys {
  /// A key of up to 32 bytes, with zeros behind it.
  private typealias Text = (UInt64, UInt64, UInt64, UInt64)

  private static let keyBytesMax = 32
  private static let slotCount = 512

  private let rules: PrivacyRules
  private let texts = UnsafeMutablePointer<Text>.allocate(capacity: slotCount)
  /// The length of each slot's key, 0 where the slot is free.
  private let counts = UnsafeMutablePointer<UInt8>.allocate(capacity: slotCount)

  /// Remembers the keys that some rules do not refuse.
  init(_ rules: PrivacyRules) {
    self.rules = rules
    counts.initialize(repeating: 0, count: Self.slotCount)
  }

  deinit {
    texts.deallocate()
    counts.deallocate()
  }

  /// Whether a key names personal data. There must be padding behind its bytes.
  @inline(__always)
  func isPersonal(_ key: UnsafeRawBufferPointer) -> Bool {
    guard key.count > 0, key.count <= Self.keyBytesMax else { return rules.isPersonal(key: key) }
    let text = Self.text(of: key)
    let mixed = (text.0 ^ text.1 &* 0x9E37_79B9_7F4A_7C15 ^ text.2 ^ text.3) &+ UInt64(truncatingIfNeeded: key.count)
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
