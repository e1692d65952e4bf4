import FunnelModel

/// A hash table of parsed `ctx` objects, keyed by their JSON text.
///
/// A device sends the same context with each event, so most contexts need no parsing. An entry stores the
/// parsed members and their canonical form. Entries are never evicted or moved: an entry's address identifies a context
/// for the lifetime of the cache, and callers may use it as a key. Not thread-safe: each worker owns one.
final class ContextCache {
  /// A cached context. Its parts are in the memory of the cache.
  struct Entry {
    /// A copy of the JSON text.
    fileprivate let text: PaddedText
    /// The members, sorted by key. Their strings are parts of the copy.
    let members: Table<EventMember>
    /// The members in canonical form, including the braces.
    let canonical: PaddedText
  }

  /// A slot of the hash table.
  struct Slot {
    /// The highest 16 bits of the hash: most mismatches are found without reading the entry.
    fileprivate var tag: UInt16
    /// The index of the entry plus one, or 0 for a free slot.
    fileprivate var number: UInt16
  }

  /// The maximum number of cached contexts.
  private static let countMax = 4096
  /// The maximum length of a cached context, in bytes.
  private static let textBytesMax = 1024
  /// The number of slots, a power of two. At most a quarter of them is used, so probe sequences are short.
  private static let slotCount = 4 * countMax
  /// The limit of ``balance`` in both directions.
  private static let balanceMax = 100_000

  private let arena = Arena()
  private let entries: Table<Entry>
  private let slots: Table<Slot>
  private var count = 0
  private var buffer = RecordBuffer()
  /// The number of hits, at most ``balanceMax``, minus the number of misses since the cache became full. Below
  /// `-balanceMax`, lookups stop.
  private var balance = 0
  /// The number of tokens between the braces of the last context that was parsed by ``LineWalker``.
  var lastTokenCount = 0
  /// Whether lookups are worthwhile: `false` once the cache is full and misses outnumber hits by far.
  private(set) var isUseful = true

  /// Creates an empty cache.
  init() {
    entries = arena.table(count: Self.countMax)
    slots = arena.table(repeating: Slot(tag: 0, number: 0), count: Self.slotCount)
  }

  /// Returns the first slot to probe for a hash.
  @inline(__always)
  private static func slot(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 20) & (slotCount - 1) }

  @inline(__always)
  private static func tag(of hash: UInt64) -> UInt16 { UInt16(truncatingIfNeeded: hash >> 48) }

  /// Returns the entry of a text, or `nil` if the text is not cached.
  ///
  /// - Parameter hash: The ``ByteWords/longHash(_:)`` of the text.
  @inline(__always)
  func find(_ text: PaddedText, hash: UInt64) -> Reference<Entry>? {
    var slot = Self.slot(of: hash)
    while slots[slot].number != 0 {
      if slots[slot].tag == Self.tag(of: hash) {
        let entry = entries.reference(to: Int(slots[slot].number) &- 1)
        if ByteWords.areEqual(entry.value.text, text) {
          balance = min(balance &+ 1, Self.balanceMax)
          return entry
        }
      }
      slot = (slot &+ 1) & (Self.slotCount - 1)
    }
    return nil
  }

  /// Caches a text that is not in the cache, unless it is too long or the cache is full.
  ///
  /// - Parameters:
  ///   - hash: The ``ByteWords/longHash(_:)`` of the text.
  ///   - members: The members of the context, sorted by key. Their keys and strings must be parts of the text.
  func add(_ text: PaddedText, hash: UInt64, members: EventMembers) {
    guard text.count <= Self.textBytesMax else { return }
    guard count < Self.countMax else {
      balance -= 1
      if balance < -Self.balanceMax { isUseful = false }
      return
    }
    let copy = arena.copy(text).text(at: 0, count: text.count)
    /// Returns the part of the copy that corresponds to a part of the text.
    func moved(_ part: PaddedText) -> PaddedText {
      let start = text.offset(of: part)
      return copy[start..<start + part.count]
    }
    let kept = arena.table(of: EventMember.self, count: members.count)
    for (index, member) in members.enumerated() {
      var value = member.value
      if case .string(let bytes) = value { value = .string(moved(PaddedText(bytes)).borrowed) }
      kept[index] = EventMember(key: moved(PaddedText(member.key)).borrowed, value: value)
    }
    buffer.clear(reserving: RecordBuffer.objectBytesMax(members))
    buffer.appendObject(members)
    let canonical = arena.copy(buffer.text).text(at: 0, count: buffer.count)
    entries[count] = Entry(text: copy, members: kept, canonical: canonical)
    count += 1
    var slot = Self.slot(of: hash)
    while slots[slot].number != 0 { slot = (slot + 1) & (Self.slotCount - 1) }
    slots[slot] = Slot(tag: Self.tag(of: hash), number: UInt16(count))
  }
}
