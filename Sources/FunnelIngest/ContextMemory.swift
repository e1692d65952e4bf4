import FunnelModel

/// The contexts that came before, byte for byte: a device says the same of itself with each event.
///
/// Of a text that was read before it is known that it is valid, what its members are, and how the log writes them. Nothing that is in is
/// ever given up, so who is handed a context may keep what it made of it under the context's address. Not to be shared between threads.
final class ContextMemory {
  /// What is known of a text.
  struct Entry {
    fileprivate var hash: UInt64
    fileprivate var text: UnsafeMutableRawPointer
    fileprivate var textCount: Int
    /// The members, sorted by key; their texts lie in the copy of the text.
    var members: UnsafeMutablePointer<EventMember>
    var count: Int
    /// The members as the log writes them, braces included.
    var canonical: UnsafeMutablePointer<UInt8>
    var canonicalCount: Int
  }

  /// Most contexts that are kept, and longest one.
  private static let countMax = 4096
  private static let textBytesMax = 1024
  private static let slotCount = 4 * countMax

  private let entries = UnsafeMutablePointer<Entry>.allocate(capacity: countMax)
  private let slots = UnsafeMutablePointer<UInt16>.allocate(capacity: slotCount)
  private var count = 0
  private var buffer = RecordBuffer()
  /// How often a text was found, less how often not, once there is no room for more; where that goes far below 0, looking is given up.
  private var balance = 0
  /// Whether it is worth looking.
  private(set) var isUseful = true

  init() {
    slots.initialize(repeating: 0, count: Self.slotCount)
  }

  deinit {
    for index in 0..<count {
      entries[index].text.deallocate()
      entries[index].members.deallocate()
      entries[index].canonical.deallocate()
    }
    entries.deallocate()
    slots.deallocate()
  }

  /// What is known of a text with padding behind it, nil where it is new.
  @inline(__always)
  func find(_ text: UnsafePointer<UInt8>, count textCount: Int, hash: UInt64) -> UnsafePointer<Entry>? {
    var slot = Int(truncatingIfNeeded: hash >> 20) & (Self.slotCount - 1)
    while slots[slot] != 0 {
      let entry = entries + (Int(slots[slot]) &- 1)
      if entry.pointee.hash == hash, entry.pointee.textCount == textCount,
        ByteWords.areEqual(entry.pointee.text, text, count: textCount)
      {
        return UnsafePointer(entry)
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
    let copy = UnsafeMutableRawPointer.allocate(byteCount: textCount + LineParser.paddingBytes, alignment: 8)
    copy.copyMemory(from: text, byteCount: textCount)
    (copy + textCount).initializeMemory(as: UInt8.self, repeating: 0, count: LineParser.paddingBytes)
    func moved(_ span: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
      UnsafeRawBufferPointer(start: copy + (span.baseAddress! - UnsafeRawPointer(text)), count: span.count)
    }
    let kept = UnsafeMutablePointer<EventMember>.allocate(capacity: max(members.count, 1))
    for (index, member) in members.enumerated() {
      var value = member.value
      if case .string(let span) = value { value = .string(moved(span)) }
      kept[index] = EventMember(key: moved(member.key), value: value)
    }
    buffer.clear(reserving: RecordBuffer.objectBytesMax(members))
    buffer.appendObject(members)
    let canonical = UnsafeMutablePointer<UInt8>.allocate(capacity: max(buffer.count, 1))
    canonical.update(from: buffer.base, count: buffer.count)
    (entries + count).initialize(
      to: Entry(
        hash: hash, text: copy, textCount: textCount, members: kept, count: members.count, canonical: canonical,
        canonicalCount: buffer.count))
    count += 1
    var slot = Int(truncatingIfNeeded: hash >> 20) & (Self.slotCount - 1)
    while slots[slot] != 0 { slot = (slot + 1) & (Self.slotCount - 1) }
    slots[slot] = UInt16(count)
  }

  /// Notes that a text was found.
  @inline(__always)
  func noteFound() { balance = min(balance &+ 1, 100_000) }
}
