/// Recognizes the names of the envelope's fields in a few instructions. Not to be shared between threads.
///
/// The first eight bytes of a name, multiplied by a number found by trial, give a slot of its own in a table of 32.
struct FieldNames {
  /// A slot of the table: the first eight bytes of the name, its length, and the field.
  private struct Entry {
    var word: UInt64
    var count: Int32
    var field: KnownField
  }

  private static let multiplier: UInt64 = 0x6A8A_C4BA_0580_5975

  private final class Table {
    let entries = UnsafeMutablePointer<Entry>.allocate(capacity: 32)

    init() {
      entries.initialize(repeating: Entry(word: 0, count: -1, field: .version), count: 32)
      for field in KnownField.allCases {
        let name = field.text
        var word: UInt64 = 0
        for index in 0..<min(name.utf8CodeUnitCount, 8) { word |= UInt64(name.utf8Start[index]) << UInt64(8 * index) }
        let place = FieldNames.place(of: word)
        precondition(entries[place].count < 0, "two names share a place")
        entries[place] = Entry(word: word, count: Int32(name.utf8CodeUnitCount), field: field)
      }
    }

    deinit { entries.deallocate() }
  }

  private let table = Table()
  private let entries: UnsafeMutablePointer<Entry>

  init() { entries = table.entries }

  /// Returns the slot of a word: the highest 5 bits of the product.
  @inline(__always)
  private static func place(of word: UInt64) -> Int { Int(truncatingIfNeeded: (word &* multiplier) >> 59) }

  /// Returns the field that a key names, or nil if there is none. Padding must follow the key.
  @inline(__always)
  func field(_ key: UnsafePointer<UInt8>, count: Int) -> KnownField? {
    guard count >= 1, count <= 12 else { return nil }
    let word = ByteWords.word(key, count: min(count, 8))
    let entry = entries + Self.place(of: word)
    guard entry.pointee.word == word, Int(entry.pointee.count) == count else { return nil }
    guard count <= 8 || Self.hasTail(entry.pointee.field, key, count: count) else { return nil }
    return entry.pointee.field
  }

  /// Returns whether a key continues like the field's name behind the first eight bytes.
  private static func hasTail(_ field: KnownField, _ key: UnsafePointer<UInt8>, count: Int) -> Bool {
    let name = field.text
    for index in 8..<count where key[index] != name.utf8Start[index] { return false }
    return true
  }
}
