/// A hash table that assigns consecutive IDs to byte strings, from 0. Lookups do not allocate.
///
/// Not thread-safe: each worker owns one.
final class TextInterner {
  /// A text: its hash and its range in ``texts``.
  private struct Entry {
    var hash: UInt64
    var bytes: Range<Int>
  }

  private var entries: [Entry] = []
  /// Open addressing: each slot has an index into ``entries`` or none. At most half of the slots are used.
  private var slots = [PackedIndex](repeating: .none, count: initialSlotCount)
  /// The bytes of all texts, one after another.
  private var texts: [UInt8] = []

  /// The number of slots of an empty table, a power of two.
  private static let initialSlotCount = 256

  /// The number of texts.
  var count: Int { entries.count }

  /// Returns the ID of a text, or `nil` if the table does not contain it.
  @inline(__always)
  func find(_ text: Span<UInt8>) -> Int? {
    let hash = Self.hash(text)
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while let id = slots[slot].value {
      if entries[id].hash == hash, text.isEqual(to: texts.span.extracting(entries[id].bytes)) { return id }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Returns the ID of a text, which is added if the table does not contain it.
  func findOrInsert(_ text: Span<UInt8>) -> (id: Int, isNew: Bool) {
    if let id = find(text) { return (id, false) }
    if entries.count * 2 >= slots.count { grow() }
    let start = texts.count
    texts.append(copying: text)
    entries.append(Entry(hash: Self.hash(text), bytes: start..<texts.count))
    fillSlot(of: entries.count - 1)
    return (entries.count - 1, true)
  }

  /// Removes all texts. IDs start at 0 again.
  func removeAll() {
    entries.removeAll(keepingCapacity: true)
    slots = [PackedIndex](repeating: .none, count: Self.initialSlotCount)
    texts.removeAll(keepingCapacity: true)
  }

  /// Writes the ID of an entry into the first free slot of its probe sequence.
  private func fillSlot(of id: Int) {
    assert(entries.count * 2 <= slots.count, "at most half of the slots are used")
    var slot = Int(truncatingIfNeeded: entries[id].hash) & (slots.count - 1)
    while slots[slot].value != nil { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = PackedIndex(id)
  }

  private func grow() {
    slots = [PackedIndex](repeating: .none, count: slots.count * 2)
    for id in entries.indices { fillSlot(of: id) }
  }

  /// The offset basis and the prime of 64-bit FNV-1a (Fowler, Noll and Vo).
  private static let fnvOffsetBasis: UInt64 = 0xcbf2_9ce4_8422_2325
  private static let fnvPrime: UInt64 = 0x0000_0100_0000_01b3

  /// Returns a hash in the manner of FNV-1a, over eight bytes at a time.
  @inline(__always)
  private static func hash(_ text: Span<UInt8>) -> UInt64 {
    // The hash is not keyed. Callers bound the number of texts, which also bounds the cost of crafted collisions.
    var hash = fnvOffsetBasis ^ UInt64(text.count)
    var offset = 0
    while offset <= text.count &- Span<UInt8>.wordBytes {
      hash = (hash ^ text.word(at: offset)) &* fnvPrime
      hash ^= hash >> 29
      offset &+= Span<UInt8>.wordBytes
    }
    while offset < text.count {
      hash = (hash ^ UInt64(text[unchecked: offset])) &* fnvPrime
      offset &+= 1
    }
    return hash ^ (hash >> 32)
  }
}
