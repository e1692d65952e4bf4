import FunnelModel

/// The event class IDs of a group, packed into words of four IDs with 16 bits each.
struct GroupKey {
  /// The number of event class IDs in a word.
  private static let wordClasses = 4

  private var words = [UInt64](repeating: 0, count: GroupKey.wordCount(of: ContributionCache.groupEventsMax))

  /// Returns the number of words that hold some event class IDs.
  @inline(__always)
  static func wordCount(of classCount: Int) -> Int { (classCount &+ wordClasses &- 1) / wordClasses }

  /// Returns a word.
  @inline(__always)
  subscript(index: Int) -> UInt64 { words[index] }

  /// Replaces the key by that of a group. The unused bits of the last word are ones.
  ///
  /// - Parameters:
  ///   - classIDs: The event class IDs, at most ``ContributionCache/groupEventsMax``.
  ///   - gap: A number that is a part of the hash.
  /// - Returns: A hash of the IDs and the gap, or `nil` if an ID does not fit into 16 bits.
  @inline(__always)
  mutating func pack(_ classIDs: Span<EventClassID>, gap: Int) -> UInt32? {
    assert(classIDs.count <= ContributionCache.groupEventsMax, "the words have room for the classes")
    let bytes = classIDs.bytes
    var words = words.mutableSpan
    var hash = UInt64(truncatingIfNeeded: classIDs.count | gap << 16)
    // The bits of all IDs.
    var bits: UInt64 = 0
    var index = 0
    while index &+ Self.wordClasses <= classIDs.count {
      // Two IDs at a time; the indices are within the span, whose elements have four bytes.
      let first = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index &* 4, as: UInt64.self)
      let second = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index &* 4 &+ 8, as: UInt64.self)
      bits |= first | second
      let word = (first | first >> 16) & 0xFFFF_FFFF | (second | second >> 16) << 32
      words[index >> 2] = word
      hash = Self.mix(hash, word)
      index = index &+ Self.wordClasses
    }
    if index < classIDs.count {
      var word = UInt64.max
      for remaining in index..<classIDs.count {
        bits |= UInt64(classIDs[remaining])
        word = word << 16 | UInt64(classIDs[remaining])
      }
      words[index >> 2] = word
      hash = Self.mix(hash, word)
    }
    guard bits & 0xFFFF_0000_FFFF_0000 == 0 else { return nil }
    return UInt32(truncatingIfNeeded: (hash &* Self.finishMultiplier) >> 32)
  }

  // Odd constants of wyhash (Wang Yi, public domain). Any odd number with irregular bits would do.
  private static let mixMultiplier: UInt64 = 0xA076_1D64_78BD_642F
  private static let finishMultiplier: UInt64 = 0xE703_7ED1_A0B4_28DB

  @inline(__always)
  private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let product = (hash ^ word) &* mixMultiplier
    return product ^ product >> 32
  }
}

/// A hash table with linear probing that finds the entries with a hash. Entries are given by index.
struct HashTable {
  /// The number of slots probed for an entry.
  // The bound limits the cost of a log whose event classes are chosen to collide.
  private static let probeCountMax = 16
  /// The number of low bits of a slot that hold an entry's index plus 1. The high bits are the tag, those of the hash.
  private static let indexBits: UInt32 = 15
  private static var indexMask: UInt32 { (1 << indexBits) - 1 }
  /// The value of an empty slot.
  private static let emptySlot: UInt32 = 0
  private static let initialSlotCount = 1 << 10

  /// The tag and the index of an entry, or ``emptySlot``. Their count is a power of two.
  private var slots = [UInt32](repeating: HashTable.emptySlot, count: HashTable.initialSlotCount)

  /// The state of a search.
  struct Probe: BitwiseCopyable {
    fileprivate let tag: UInt32
    fileprivate var slot: Int
    fileprivate var remaining = HashTable.probeCountMax
  }

  /// Returns the search for the entries with a hash.
  @inline(__always)
  func firstProbe(of hash: UInt32) -> Probe {
    Probe(tag: hash >> Self.indexBits, slot: Int(hash) & (slots.count &- 1))
  }

  /// Returns the next entry that may have the hash of a search, or `nil` if there are no more.
  @inline(__always)
  func next(_ probe: inout Probe) -> Int? {
    while probe.remaining > 0 {
      let slot = slots[probe.slot]
      if slot == Self.emptySlot { return nil }
      probe.slot = (probe.slot &+ 1) & (slots.count &- 1)
      probe.remaining &-= 1
      if slot >> Self.indexBits == probe.tag { return Int(slot & Self.indexMask) &- 1 }
    }
    return nil
  }

  /// Adds an entry. Returns `false` if all probed slots are used; the entry is then not found.
  mutating func insert(_ index: Int, hash: UInt32) -> Bool {
    precondition(index + 1 <= Self.indexMask, "a slot has room for the index of any entry")
    var slot = Int(hash) & (slots.count - 1)
    for _ in 0..<Self.probeCountMax {
      if slots[slot] == Self.emptySlot {
        slots[slot] = (hash >> Self.indexBits) << Self.indexBits | UInt32(index + 1)
        return true
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    return false
  }

  /// Returns whether `count` entries take more than half of the slots.
  func isCrowded(by count: Int) -> Bool { count * 2 > slots.count }

  /// Removes all entries, and doubles the number of slots.
  mutating func grow() { slots = Array(repeating: Self.emptySlot, count: slots.count * 2) }
}
