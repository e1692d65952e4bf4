/// A perfect hash table of the names of the envelope's fields.
///
/// The hash is the product of a name's first eight bytes and a multiplier that was found by trial: each name
/// has its own slot.
final class FieldNames {
  /// A slot of the table.
  struct Entry {
    /// The first eight bytes of the name, padded with zeros.
    fileprivate var word: UInt64
    /// The length of the name in bytes, or ``free``.
    fileprivate var count: Int32
    fileprivate var field: KnownField

    /// The length of a free slot, which no key has.
    fileprivate static let free: Int32 = -1
  }

  private static let multiplier: UInt64 = 0x6A8A_C4BA_0580_5975
  private static let slotCount = 32
  /// The length of the longest name, `flow_version`, in bytes.
  private static let nameBytesMax = 12

  private let arena = Arena()
  private let entries: Table<Entry>

  /// Builds the table.
  init() {
    entries = arena.table(repeating: Entry(word: 0, count: Entry.free, field: .version), count: Self.slotCount)
    for field in KnownField.allCases {
      let name = field.text
      var word: UInt64 = 0
      for index in 0..<min(name.utf8CodeUnitCount, 8) { word |= UInt64(name.utf8Start[index]) << UInt64(8 * index) }
      let slot = Self.slot(of: word)
      precondition(entries[slot].count == Entry.free, "each name has its own slot")
      precondition(name.utf8CodeUnitCount <= Self.nameBytesMax, "no name is longer than the limit")
      entries[slot] = Entry(word: word, count: Int32(name.utf8CodeUnitCount), field: field)
    }
  }

  /// Returns the slot of a word: the highest 5 bits of the product index the 32 slots.
  @inline(__always)
  private static func slot(of word: UInt64) -> Int { Int(truncatingIfNeeded: (word &* multiplier) >> 59) }

  /// Returns the field with a given key, or `nil` if there is none.
  @inline(__always)
  func field(_ key: PaddedText) -> KnownField? {
    guard !key.isEmpty, key.count <= Self.nameBytesMax else { return nil }
    let word = key.word(at: 0, byteCount: min(key.count, 8))
    let entry = entries[Self.slot(of: word)]
    guard entry.word == word, Int(entry.count) == key.count else { return nil }
    guard key.count <= 8 || Self.hasTail(entry.field, key) else { return nil }
    return entry.field
  }

  /// Whether a key equals the field's name after the first eight bytes.
  private static func hasTail(_ field: KnownField, _ key: PaddedText) -> Bool {
    let name = field.text
    for index in 8..<key.count where key[index] != name.utf8Start[index] { return false }
    return true
  }
}
