import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A hash table that assigns consecutive numbers to byte strings, from 0. Lookups do not allocate.
///
/// Not thread-safe: each worker owns one.
final class TextNumbers {
  /// A text: its hash and its range in ``texts``.
  private struct Entry {
    var hash: UInt64
    var offset: Int
    var count: Int
  }

  private var entries: [Entry] = []
  /// Open addressing: each slot has an index into ``entries``, or ``emptySlot``. At most half of the slots are used.
  private var slots = [Int32](repeating: emptySlot, count: initialSlotCount)
  /// The bytes of all texts, one after another.
  private let texts = LineBuffer()

  /// An `Optional` would double the four bytes of a slot.
  private static let emptySlot: Int32 = -1
  /// The number of slots of an empty table, a power of two.
  private static let initialSlotCount = 256

  /// The number of texts.
  var count: Int { entries.count }

  /// Returns the number of a text, or `nil` if the table does not contain it.
  @inline(__always)
  func find(_ text: UnsafeRawBufferPointer) -> Int? {
    let hash = Self.hash(text)
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[slot] != Self.emptySlot {
      let number = Int(slots[slot])
      if entries[number].hash == hash, entries[number].count == text.count,
        text.isEmpty || memcmp(texts.bytes.baseAddress! + entries[number].offset, text.baseAddress!, text.count) == 0
      {
        return number
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Adds a text and returns its number. The table must not contain the text.
  func add(_ text: UnsafeRawBufferPointer) -> Int {
    assert(find(text) == nil, "the table contains the text already")
    if entries.count * 2 >= slots.count { grow() }
    let entry = Entry(hash: Self.hash(text), offset: texts.count, count: text.count)
    texts.append(raw: text)
    entries.append(entry)
    insert(entries.count - 1)
    return entries.count - 1
  }

  /// Removes all texts. Numbers start at 0 again.
  func removeAll() {
    entries.removeAll(keepingCapacity: true)
    slots = [Int32](repeating: Self.emptySlot, count: Self.initialSlotCount)
    texts.removeAll()
  }

  /// Inserts the number of an entry into the first free slot of its probe sequence.
  private func insert(_ number: Int) {
    var slot = Int(truncatingIfNeeded: entries[number].hash) & (slots.count - 1)
    while slots[slot] != Self.emptySlot { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = Int32(number)
  }

  private func grow() {
    slots = [Int32](repeating: Self.emptySlot, count: slots.count * 2)
    for number in entries.indices { insert(number) }
  }

  /// The offset basis and the prime of 64-bit FNV-1a (Fowler, Noll and Vo).
  private static let fnvOffsetBasis: UInt64 = 0xcbf2_9ce4_8422_2325
  private static let fnvPrime: UInt64 = 0x0000_0100_0000_01b3

  /// Returns a hash in the manner of FNV-1a, over eight bytes at a time.
  @inline(__always)
  private static func hash(_ text: UnsafeRawBufferPointer) -> UInt64 {
    // The hash is not keyed. Callers bound the number of texts, which also bounds the cost of crafted collisions.
    var hash = fnvOffsetBasis ^ UInt64(text.count)
    var offset = 0
    while offset &+ 8 <= text.count {
      hash = (hash ^ text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* fnvPrime
      hash ^= hash >> 29
      offset &+= 8
    }
    while offset < text.count {
      hash = (hash ^ UInt64(text[offset])) &* fnvPrime
      offset &+= 1
    }
    return hash ^ (hash >> 32)
  }
}
