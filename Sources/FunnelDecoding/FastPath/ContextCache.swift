import FunnelModel

/// A hash table of parsed `ctx` objects, keyed by their JSON text.
///
/// A device sends the same context with each event, so most contexts need no parsing. An entry stores the
/// parsed members and their canonical form. Entries are never evicted: an entry's address identifies a context
/// for the lifetime of the cache, and callers may use it as a key. Not thread-safe: each worker owns one.
final class ContextCache {
  /// A cached context.
  ///
  /// In memory, the entry is followed by a copy of its text, then by the members and the canonical form. A
  /// lookup reads the entry and the text, which are adjacent.
  struct Entry {
    /// The length of the text, in bytes.
    fileprivate var textCount: Int
    /// The number of members.
    fileprivate(set) var count: Int32
    /// The length of the canonical form, in bytes.
    fileprivate(set) var canonicalCount: Int32
    /// The members, sorted by key. Their strings point into the copy of the text.
    fileprivate(set) var members: UnsafeMutablePointer<EventMember>
    /// The members in canonical form, including the braces.
    fileprivate(set) var canonical: UnsafeMutablePointer<UInt8>
  }

  /// A slot of the hash table.
  private struct Slot {
    /// The highest 16 bits of the hash: most mismatches are found without reading the entry.
    var tag: UInt16
    /// The index of the entry plus one, or 0 for a free slot.
    var number: UInt16
  }

  /// The maximum number of cached contexts.
  private static let countMax = 4096
  /// The maximum length of a cached context, in bytes.
  private static let textBytesMax = 1024
  /// The number of slots, a power of two. At most a quarter of them is used, so probe sequences are short.
  private static let slotCount = 4 * countMax
  /// The limit of ``balance`` in both directions.
  private static let balanceMax = 100_000

  private let entries = UnsafeMutablePointer<UnsafeMutablePointer<Entry>>.allocate(capacity: countMax)
  private let slots = UnsafeMutablePointer<Slot>.allocate(capacity: slotCount)
  private var count = 0
  private var buffer = RecordBuffer()
  /// The number of hits, at most ``balanceMax``, minus the number of misses since the cache became full. Below
  /// `-balanceMax`, lookups stop.
  private var balance = 0
  /// The number of tokens between the braces of the last context that was parsed by ``LineWalker``.
  var lastTokenCount = 0
  /// Whether lookups are worthwhile: `false` once the cache is full and misses outnumber hits by far.
  private(set) var isUseful = true

  init() {
    slots.initialize(repeating: Slot(tag: 0, number: 0), count: Self.slotCount)
  }

  deinit {
    for index in 0..<count { UnsafeMutableRawPointer(entries[index]).deallocate() }
    entries.deallocate()
    slots.deallocate()
  }

  /// Returns the first slot to probe for a hash.
  @inline(__always)
  private static func slot(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 20) & (slotCount - 1) }

  @inline(__always)
  private static func tag(of hash: UInt64) -> UInt16 { UInt16(truncatingIfNeeded: hash >> 48) }

  /// Returns the entry of a text, or `nil` if the text is not cached. ``LineParser/paddingBytes`` after the
  /// text must be readable.
  ///
  /// - Parameter hash: The ``ByteWords/longHash(_:count:)`` of the text.
  @inline(__always)
  func find(_ text: UnsafePointer<UInt8>, count textCount: Int, hash: UInt64) -> UnsafePointer<Entry>? {
    var slot = Self.slot(of: hash)
    while slots[slot].number != 0 {
      if slots[slot].tag == Self.tag(of: hash) {
        let entry = entries[Int(slots[slot].number) &- 1]
        if entry.pointee.textCount == textCount, ByteWords.areEqual(entry + 1, text, count: textCount) {
          balance = min(balance &+ 1, Self.balanceMax)
          return UnsafePointer(entry)
        }
      }
      slot = (slot &+ 1) & (Self.slotCount - 1)
    }
    return nil
  }

  /// Caches a text that is not in the cache, unless it is too long or the cache is full.
  ///
  /// - Parameters:
  ///   - hash: The ``ByteWords/longHash(_:count:)`` of the text.
  ///   - members: The members of the context, sorted by key. Their keys and strings must point into the text.
  func add(_ text: UnsafePointer<UInt8>, count textCount: Int, hash: UInt64, members: EventMembers) {
    guard textCount <= Self.textBytesMax else { return }
    guard count < Self.countMax else {
      balance -= 1
      if balance < -Self.balanceMax { isUseful = false }
      return
    }
    buffer.clear(reserving: RecordBuffer.objectBytesMax(members))
    buffer.appendObject(members)
    // The allocation consists of the entry, the text with its padding, the members, and the canonical form.
    let textOffset = MemoryLayout<Entry>.stride
    let alignment = MemoryLayout<EventMember>.alignment
    let membersOffset = (textOffset + textCount + LineParser.paddingBytes + alignment - 1) / alignment * alignment
    let canonicalOffset = membersOffset + members.count * MemoryLayout<EventMember>.stride
    let block = UnsafeMutableRawPointer.allocate(byteCount: canonicalOffset + buffer.count, alignment: 64)
    let copy = block + textOffset
    copy.copyMemory(from: text, byteCount: textCount)
    (copy + textCount).initializeMemory(as: UInt8.self, repeating: 0, count: membersOffset - textOffset - textCount)
    /// Returns the bytes of the copy that correspond to a span of the text.
    func moved(_ span: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: copy + (span.baseAddress! - UnsafeRawPointer(text)), count: span.count)
    }
    let kept = (block + membersOffset).bindMemory(to: EventMember.self, capacity: members.count)
    for (index, member) in members.enumerated() {
      var value = member.value
      if case .string(let span) = value { value = .string(moved(span)) }
      (kept + index).initialize(to: EventMember(key: moved(member.key), value: value))
    }
    let canonical = (block + canonicalOffset).bindMemory(to: UInt8.self, capacity: buffer.count)
    canonical.initialize(from: buffer.base, count: buffer.count)
    let entry = block.bindMemory(to: Entry.self, capacity: 1)
    entry.initialize(
      to: Entry(
        textCount: textCount, count: Int32(members.count), canonicalCount: Int32(buffer.count),
        members: kept, canonical: canonical))
    (entries + count).initialize(to: entry)
    count += 1
    var slot = Self.slot(of: hash)
    while slots[slot].number != 0 { slot = (slot + 1) & (Self.slotCount - 1) }
    slots[slot] = Slot(tag: Self.tag(of: hash), number: UInt16(count))
  }
}
