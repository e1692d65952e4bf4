import FunnelModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Numbers texts in the order in which they first come, and finds them again without allocating. Not to be shared between threads.
final class TextNumbers {
  private struct Entry {
    var hash: UInt64
    var offset: Int
    var count: Int
  }

  private var entries: [Entry] = []
  /// Open addressing: an index into ``entries``, or -1.
  private var slots = [Int32](repeating: -1, count: 256)
  private let texts = LineBuffer()

  /// The number of texts.
  var count: Int { entries.count }

  /// Returns the number of a text, or nil if it is new.
  @inline(__always)
  func find(_ text: UnsafeRawBufferPointer) -> Int? {
    let hash = Self.hash(text)
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[slot] >= 0 {
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

  /// Adds a text that is new and returns its number.
  func add(_ text: UnsafeRawBufferPointer) -> Int {
    if entries.count * 2 >= slots.count { grow() }
    let entry = Entry(hash: Self.hash(text), offset: texts.count, count: text.count)
    texts.append(raw: text)
    entries.append(entry)
    place(entries.count - 1)
    return entries.count - 1
  }

  func removeAll() {
    entries.removeAll(keepingCapacity: true)
    slots = [Int32](repeating: -1, count: 256)
    texts.removeAll()
  }

  private func place(_ number: Int) {
    var slot = Int(truncatingIfNeeded: entries[number].hash) & (slots.count - 1)
    while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = Int32(number)
  }

  private func grow() {
    slots = [Int32](repeating: -1, count: slots.count * 2)
    for number in entries.indices { place(number) }
  }

  /// FNV-1a (Fowler, Noll and Vo), eight bytes at a time. The table is bounded by its users, so that hostile texts can't make it slow.
  @inline(__always)
  private static func hash(_ text: UnsafeRawBufferPointer) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ UInt64(text.count)
    var offset = 0
    while offset &+ 8 <= text.count {
      hash = (hash ^ text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* 0x0000_0100_0000_01b3
      hash ^= hash >> 29
      offset &+= 8
    }
    while offset < text.count {
      hash = (hash ^ UInt64(text[offset])) &* 0x0000_0100_0000_01b3
      offset &+= 1
    }
    return hash ^ (hash >> 32)
  }
}
