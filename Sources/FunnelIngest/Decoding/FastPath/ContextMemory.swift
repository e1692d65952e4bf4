import FunnelModel

/// The contexts that came before, byte for byte: a device says the same of itself with each event.
///
/// Of a text that was read before it is known that it is valid, what its members are, and how the log writes them. Nothing that is in is
/// ever given up, so who is handed a context may keep what it made of it under the context's address. Not to be shared between threads.
final class ContextMemory {
  /// What is known of a text, whose copy lies behind it, so both are in the processor's cache together; and behind that the rest.
  struct Entry {
    fileprivate var textCount: Int
    /// How many members there are.
    fileprivate(set) var count: Int32
    fileprivate(set) var canonicalCount: Int32
    /// The members, sorted by key; their texts lie in the copy of the text.
    fileprivate(set) var members: UnsafeMutablePointer<EventMember>
    /// The members as the log writes them, braces included.
    fileprivate(set) var canonical: UnsafeMutablePointer<UInt8>
  }

  /// A place of the hash table: half of the hash, and the number of the entry plus one; 0 where it is free.
  private struct Slot {
    var tag: UInt16
    var number: UInt16
  }

  /// Most contexts that are kept, and longest one.
  private static let countMax = 4096
  private static let textBytesMax = 1024
  private static let slotCount = 4 * countMax

  private let entries = UnsafeMutablePointer<UnsafeMutablePointer<Entry>>.allocate(capacity: countMax)
  private let slots = UnsafeMutablePointer<Slot>.allocate(capacity: slotCount)
  private var count = 0
  private var buffer = RecordBuffer()
  /// How often a text was found, less how often not, once there is no room for more; where that goes far below 0, looking is given up.
  private var balance = 0
  /// How many tokens the last context had between its braces.
  var lastTokenCount = 0
  /// Whether it is worth looking.
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

  /// What is known of a text with padding behind it, nil where it is new.
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

  /// Keeps what a text was read as; its members' texts must lie in it.
  func add(_ text: UnsafePointer<UInt8>, count textCount: Int, hash: UInt64, members: EventMembers) {
    guard textCount <= Self.textBytesMax else { return }
    guard count < Self.countMax else {
      balance -= 1
      if balance < -100_000 { isUseful = false }
      return
    }
    buffer.clear(reserving: RecordBuffer.objectBytesMax(members))
    buffer.appendObject(members)
    // The entry, the text and its padding, the members, what the log writes.
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
