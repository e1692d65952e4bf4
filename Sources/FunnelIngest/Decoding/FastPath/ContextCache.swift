import FunnelModel

/// A cache of contexts, recognized by comparing bytes: a device sends the same context with each event.
///
/// A cached text is known to be valid, and its members and its canonical form are known. Entries are never evicted, so callers may cache
/// what they derive from a context under the entry's address. Not to be shared between threads.
final class ContextCache {
  /// A cached context. The copy of its text follows it in memory, so that both are in the processor's cache together; the members and the
  /// canonical form come last.
  struct Entry {
    fileprivate var textCount: Int
    /// The number of members.
    fileprivate(set) var count: Int32
    fileprivate(set) var canonicalCount: Int32
    /// The members, sorted by key. Their strings are in the copy of the text.
    fileprivate(set) var members: UnsafeMutablePointer<EventMember>
    /// The members in canonical form, including the braces.
    fileprivate(set) var canonical: UnsafeMutablePointer<UInt8>
  }

  /// A slot of the hash table: the highest 16 bits of the hash, and the number of the entry plus one, or 0 for a free slot.
  private struct Slot {
    var tag: UInt16
    var number: UInt16
  }

  /// The maximum number of cached contexts, and the maximum length of one, in bytes.
  private static let countMax = 4096
  private static let textBytesMax = 1024
  private static let slotCount = 4 * countMax

  private let entries = UnsafeMutablePointer<UnsafeMutablePointer<Entry>>.allocate(capacity: countMax)
  private let slots = UnsafeMutablePointer<Slot>.allocate(capacity: slotCount)
  private var count = 0
  private var buffer = RecordBuffer()
  /// The number of hits, minus that of misses since the cache was full. Far below 0, lookups stop.
  private var balance = 0
  /// The number of tokens between the braces of the last context.
  var lastTokenCount = 0
  /// Whether lookups are worthwhile.
  private(set) var isUseful = true

  init() {
    slots.initialize(repeating: Slot(tag: 0, number: 0), count: Self.slotCount)
  }

  deinit {
    for index in 0..<count { UnsafeMutableRawPointer(entries[index]).deallocate() }
    entries.deallocate()
    slots.deallocate()
  }

  @inline(__always)
  private static func slot(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash >> 20) & (slotCount - 1) }

  @inline(__always)
  private static func tag(of hash: UInt64) -> UInt16 { UInt16(truncatingIfNeeded: hash >> 48) }

  /// Returns the entry of a text, or nil if the text is new. Padding must follow the text.
  @inline(__always)
  func find(_ text: UnsafePointer<UInt8>, count textCount: Int, hash: UInt64) -> UnsafePointer<Entry>? {
    var slot = Self.slot(of: hash)
    while slots[slot].number != 0 {
      if slots[slot].tag == Self.tag(of: hash) {
        let entry = entries[Int(slots[slot].number) &- 1]
        if entry.pointee.textCount == textCount, ByteWords.areEqual(entry + 1, text, count: textCount) {
          balance = min(balance &+ 1, 100_000)
          return UnsafePointer(entry)
        }
      }
      slot = (slot &+ 1) & (Self.slotCount - 1)
    }
    return nil
  }

  /// Caches a text with the members it was read as, whose strings must be within the text.
  func add(_ text: UnsafePointer<UInt8>, count textCount: Int, hash: UInt64, members: EventMembers) {
    guard textCount <= Self.textBytesMax else { return }
    guard count < Self.countMax else {
      balance -= 1
      if balance < -100_000 { isUseful = false }
      return
    }
    buffer.clear(reserving: RecordBuffer.objectBytesMax(members))
    buffer.appendObject(members)
    // The block consists of the entry, the text with its padding, the members, and the canonical form.
    let textOffset = MemoryLayout<Entry>.stride
    let alignment = MemoryLayout<EventMember>.alignment
    let membersOffset = (textOffset + textCount + LineParser.paddingBytes + alignment - 1) / alignment * alignment
    let canonicalOffset = membersOffset + members.count * MemoryLayout<EventMember>.stride
    let block = UnsafeMutableRawPointer.allocate(byteCount: canonicalOffset + buffer.count, alignment: 64)
    let copy = block + textOffset
    copy.copyMemory(from: text, byteCount: textCount)
    (copy + textCount).initializeMemory(as: UInt8.self, repeating: 0, count: membersOffset - textOffset - textCount)
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
