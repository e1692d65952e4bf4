/// A perfect hash table of the names of the envelope's fields.
///
/// The hash is the product of a name's first eight bytes and a multiplier that was found by trial: each name
/// has its own slot.
struct FieldNames {
  /// A slot of the table.
  private struct Entry {
    /// The first eight bytes of the name, padded with zeros.
    var word: UInt64
    /// The length of the name in bytes, or ``free``.
    var count: Int32
    var field: KnownField

    /// The length of a free slot, which no key has.
    static let free: Int32 = -1
  }

  private static let multiplier: UInt64 = 0x6A8A_C4BA_0580_5975
  private static let slotCount = 32
  /// The length of the longest name, `flow_version`, in bytes.
  private static let nameBytesMax = 12

  /// Owns the memory of the table.
  private final class Table {
    let entries = UnsafeMutablePointer<Entry>.allocate(capacity: slotCount)

    init() {
      entries.initialize(repeating: Entry(word: 0, count: Entry.free, field: .version), count: slotCount)
      for field in KnownField.allCases {
        let name = field.text
        var word: UInt64 = 0
        for index in 0..<min(name.utf8CodeUnitCount, 8) { word |= UInt64(name.utf8Start[index]) << UInt64(8 * index) }
        let slot = FieldNames.slot(of: word)
        precondition(entries[slot].count == Entry.free, "two names share a place")
        precondition(name.utf8CodeUnitCount <= nameBytesMax, "a name is longer than the limit")
        entries[slot] = Entry(word: word, count: Int32(name.utf8CodeUnitCount), field: field)
      }
    }

    deinit { entries.deallocate() }
  }

  private let table = Table()
  private let entries: UnsafeMutablePointer<Entry>

  /// Builds the table.
  init() { entries = table.entries }

  /// Returns the slot of a word: the highest 5 bits of the product index the 32 slots.
  @inline(__always)
  private static func slot(of word: UInt64) -> Int { Int(truncatingIfNeeded: (word &* multiplier) >> 59) }

  /// Returns the field with a given key, or `nil` if there is none. At least seven bytes after the key must be
  /// readable.
  @inline(__always)
  func field(_ key: UnsafePointer<UInt8>, count: Int) -> KnownField? {
    guard count >= 1, count <= Self.nameBytesMax else { return nil }
    let word = ByteWords.word(key, count: min(count, 8))
    let entry = entries + Self.slot(of: word)
    guard entry.pointee.word == word, Int(entry.pointee.count) == count else { return nil }
    guard count <= 8 || Self.hasTail(entry.pointee.field, key, count: count) else { return nil }
    return entry.pointee.field
  }

  /// Whether a key equals the field's name after the first eight bytes.
  private static func hasTail(_ field: KnownField, _ key: UnsafePointer<UInt8>, count: Int) -> Bool {
    let name = field.text
    for index in 8..<count where key[index] != name.utf8Start[index] { return false }
    return true
  }
}
