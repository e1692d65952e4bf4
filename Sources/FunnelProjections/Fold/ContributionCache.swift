import FunnelSequences

/// A cache of contributions. The key is the sequence of a group's event class IDs, and the position of the gap in it.
///
/// Users take few different paths through a flow, so the contribution of nearly every group is cached. The size is
/// bounded: long groups are not cached, and no contribution is added once the cache is full. Not thread-safe: each
/// worker owns one.
// A hash table with linear probing refers to entries in one block of memory. An entry is aligned to a cache line. The
// fields that are read for every group come first:
//
//     ``Entry`` | class IDs, 2 bytes each, in words of four | short intervals, 4 bytes each
//     | sections | intervals | counters | samples
struct ContributionCache: ~Copyable {
  /// The largest number of events of a cached group.
  static let groupEventsMax = 96
  private static let entryCountMax = 1 << 14
  private static let bytesMax = 8 << 20
  /// The number of slots probed for an entry.
  // The bound limits the cost of a log whose event classes are chosen to collide.
  private static let probeCountMax = 16
  /// The size of a cache line, which is the alignment of entries.
  private static let lineBytes = 64
  /// The number of low bits of a slot that are the index of the entry's cache line. The high bits are the tag, a part
  /// of the hash.
  private static let placeBits: UInt32 = 18
  private static var placeMask: UInt32 { (1 << placeBits) - 1 }
  /// The value of an empty slot. No entry is at cache line 0.
  private static let emptySlot: UInt32 = 0
  /// The number of event class IDs in a word.
  private static let wordCodes = 4

  /// The header of an entry.
  struct Entry {
    /// The number of groups that were added by ``FoldWorker`` as hits only. Their counters are not incremented yet.
    var hits = 0
    /// The index of the flow among those of the plan.
    let flow: Int32
    /// The number of events.
    let codeCount: UInt16
    /// The index of the event after the gap (``FoldWorker``), or 0 if there is no gap.
    let gap: UInt16
    let spanCount: UInt16
    let partCount: UInt16
    let counterCount: UInt16
    let noteCount: UInt16
  }

  /// An interval whose indices and duration ID fit into one byte each, as those of all cached groups do.
  struct ShortSpan {
    let from: UInt8
    let to: UInt8
    let duration: UInt8
    private let padding: UInt8 = 0

    fileprivate init(_ span: Contribution.Span) {
      from = UInt8(span.from)
      to = UInt8(span.to)
      duration = UInt8(span.duration)
    }
  }

  /// The hash table: a tag and the index of an entry's cache line, or ``emptySlot``.
  private var slots: UnsafeMutablePointer<UInt32>
  /// The number of slots, a power of two.
  private var slotCount = 1 << 10
  private var entryCount = 0
  private let memory: UnsafeMutableRawPointer
  /// The number of bytes in use. The first cache line is reserved, because its index is that of an empty slot.
  private var used = ContributionCache.lineBytes
  /// Scratch memory for the event class IDs of the current group, four in a word.
  private let words: UnsafeMutablePointer<UInt64>

  /// Creates an empty cache.
  init() {
    precondition(Self.bytesMax / Self.lineBytes < 1 << Self.placeBits, "a slot has room for the line of any entry")
    slots = .allocate(capacity: slotCount)
    slots.initialize(repeating: Self.emptySlot, count: slotCount)
    // The maximum is allocated at once. Pages that are never written cost nothing, and no entry has to be moved.
    memory = .allocate(byteCount: Self.bytesMax, alignment: Self.lineBytes)
    words = .allocate(capacity: Self.groupEventsMax / Self.wordCodes + 1)
  }

  deinit {
    slots.deallocate()
    memory.deallocate()
    words.deallocate()
  }

  /// Returns the entry of a group, or `nil` if the group is not cached. The pointer is valid as long as the cache.
  ///
  /// - Parameters:
  ///   - codes: The event class IDs of the group's events.
  ///   - gap: The index of the event after the gap, or 0 if there is no gap.
  @inline(__always)
  func find(_ codes: UnsafePointer<UInt32>, count: Int, gap: Int = 0) -> UnsafeMutablePointer<Entry>? {
    guard count <= Self.groupEventsMax, let hash = pack(codes, count: count, gap: gap) else { return nil }
    let tag = hash >> Self.placeBits
    var index = Int(hash) & (slotCount &- 1)
    for _ in 0..<Self.probeCountMax {
      let slot = slots[index]
      if slot == Self.emptySlot { return nil }
      if slot >> Self.placeBits == tag {
        let entry = entry(at: slot & Self.placeMask)
        if Int(entry.pointee.codeCount) == count, Int(entry.pointee.gap) == gap, hasWords(entry) { return entry }
      }
      index = (index &+ 1) & (slotCount &- 1)
    }
    return nil
  }

  /// Adds the contribution of a group that has no entry. Does nothing if the cache is full, or if the group is not cacheable.
  ///
  /// A group is not cacheable if it is too long, if its contribution depends on times, or if an ID does not fit into
  /// an entry's fields.
  mutating func add(_ codes: UnsafePointer<UInt32>, count: Int, gap: Int, flow: Int, contribution: borrowing Contribution) {
    guard count <= Self.groupEventsMax, entryCount < Self.entryCountMax, let hash = pack(codes, count: count, gap: gap),
      let slot = freeSlot(for: hash), !contribution.dependsOnTimes, contribution.spans.allSatisfy({ $0.duration <= UInt8.max }),
      max(contribution.counters.count, contribution.notes.count, contribution.spans.count, contribution.parts.count)
        <= UInt16.max
    else { return }
    let line = UInt32(used / Self.lineBytes)
    guard contribution.withView({ write($0, codeCount: count, gap: gap, flow: flow) }) else { return }
    slots[slot] = (hash >> Self.placeBits) << Self.placeBits | line
    entryCount += 1
    // At most half of the slots are used.
    if entryCount * 2 > slotCount { grow() }
  }

  /// Calls `body` with each entry and its contribution.
  func forEachEntry(_ body: (Entry, ContributionView) -> Void) {
    var offset = Self.lineBytes
    while offset < used {
      let entry = (memory + offset).assumingMemoryBound(to: Entry.self)
      body(entry.pointee, Self.view(of: entry))
      offset += Layout(entry.pointee).byteCount
    }
  }
}

extension ContributionCache {
  /// The offsets of an entry's arrays, in bytes from its start.
  private struct Layout {
    let shortSpans: Int
    let parts: Int
    let spans: Int
    let counters: Int
    let notes: Int
    /// The size of the entry, a multiple of a cache line.
    let byteCount: Int

    @inline(__always)
    init(_ entry: Entry) {
      shortSpans = MemoryLayout<Entry>.stride + ContributionCache.wordCount(of: Int(entry.codeCount)) * 8
      parts = shortSpans + Int(entry.spanCount) * MemoryLayout<ShortSpan>.stride
      spans = parts + Int(entry.partCount) * MemoryLayout<Contribution.Part>.stride
      counters = spans + Int(entry.spanCount) * MemoryLayout<Contribution.Span>.stride
      notes = counters + Int(entry.counterCount) * MemoryLayout<Contribution.Counter>.stride
      let end = notes + Int(entry.noteCount) * MemoryLayout<Contribution.Note>.stride
      byteCount = (end + ContributionCache.lineBytes - 1) & ~(ContributionCache.lineBytes - 1)
    }
  }

  /// Returns the intervals of an entry, all of which a group with closed windows records.
  @inline(__always)
  static func shortSpans(of entry: UnsafeMutablePointer<Entry>) -> UnsafeBufferPointer<ShortSpan> {
    let start = UnsafeRawPointer(entry) + Layout(entry.pointee).shortSpans
    return UnsafeBufferPointer(
      start: start.assumingMemoryBound(to: ShortSpan.self), count: Int(entry.pointee.spanCount))
  }

  /// Returns the contribution of an entry.
  @inline(__always)
  static func view(of entry: UnsafeMutablePointer<Entry>) -> ContributionView {
    let start = UnsafeRawPointer(entry)
    let layout = Layout(entry.pointee)
    return ContributionView(
      parts: UnsafeBufferPointer(
        start: (start + layout.parts).assumingMemoryBound(to: Contribution.Part.self), count: Int(entry.pointee.partCount)),
      counters: UnsafeBufferPointer(
        start: (start + layout.counters).assumingMemoryBound(to: Contribution.Counter.self),
        count: Int(entry.pointee.counterCount)),
      spans: UnsafeBufferPointer(
        start: (start + layout.spans).assumingMemoryBound(to: Contribution.Span.self), count: Int(entry.pointee.spanCount)),
      notes: UnsafeBufferPointer(
        start: (start + layout.notes).assumingMemoryBound(to: Contribution.Note.self), count: Int(entry.pointee.noteCount)),
      stepEvents: UnsafeBufferPointer(start: nil, count: 0), constants: [])
  }

  /// Returns the entry at a cache line.
  @inline(__always)
  private func entry(at line: UInt32) -> UnsafeMutablePointer<Entry> {
    (memory + Int(line) * Self.lineBytes).assumingMemoryBound(to: Entry.self)
  }

  /// Returns the number of words that hold some event class IDs.
  @inline(__always)
  private static func wordCount(of codeCount: Int) -> Int { (codeCount &+ 3) >> 2 }

  /// Returns whether the event class IDs of an entry are those in ``words``. Their count must be the same.
  @inline(__always)
  private func hasWords(_ entry: UnsafeMutablePointer<Entry>) -> Bool {
    let known = UnsafeRawPointer(entry + 1)
    for word in 0..<Self.wordCount(of: Int(entry.pointee.codeCount))
    where known.load(fromByteOffset: word &* 8, as: UInt64.self) != words[word] { return false }
    return true
  }

  /// Packs event class IDs into ``words``, 16 bits each. The unused bits of the last word are ones.
  ///
  /// - Returns: A hash of the IDs and the gap, or `nil` if an ID does not fit into 16 bits.
  @inline(__always)
  private func pack(_ codes: UnsafePointer<UInt32>, count: Int, gap: Int) -> UInt32? {
    let bytes = UnsafeRawPointer(codes)
    var hash = Self.seed(count: count, gap: gap)
    var high: UInt64 = 0
    var index = 0
    while index &+ 4 <= count {
      let first = bytes.loadUnaligned(fromByteOffset: index &* 4, as: UInt64.self)
      let second = bytes.loadUnaligned(fromByteOffset: index &* 4 &+ 8, as: UInt64.self)
      high |= first | second
      let word = (first | first >> 16) & 0xFFFF_FFFF | (second | second >> 16) << 32
      words[index >> 2] = word
      hash = Self.mix(hash, word)
      index = index &+ 4
    }
    if index < count {
      var word = UInt64.max
      for code in index..<count {
        high |= UInt64(codes[code])
        word = word << 16 | UInt64(codes[code])
      }
      words[index >> 2] = word
      hash = Self.mix(hash, word)
    }
    guard high & 0xFFFF_0000_FFFF_0000 == 0 else { return nil }
    return Self.finish(hash)
  }

  // Odd constants of wyhash (Wang Yi, public domain). Any odd number with irregular bits would do.
  private static let mixMultiplier: UInt64 = 0xA076_1D64_78BD_642F
  private static let finishMultiplier: UInt64 = 0xE703_7ED1_A0B4_28DB

  @inline(__always)
  private static func seed(count: Int, gap: Int) -> UInt64 { UInt64(truncatingIfNeeded: count | gap << 16) }

  @inline(__always)
  private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let product = (hash ^ word) &* mixMultiplier
    return product ^ product >> 32
  }

  @inline(__always)
  private static func finish(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: (hash &* finishMultiplier) >> 32) }

  /// Returns the hash of an entry, which equals the result of ``pack(_:count:gap:)`` for its group.
  private static func hash(of entry: UnsafeMutablePointer<Entry>) -> UInt32 {
    let words = UnsafeRawPointer(entry + 1).assumingMemoryBound(to: UInt64.self)
    let count = Int(entry.pointee.codeCount)
    let seed = seed(count: count, gap: Int(entry.pointee.gap))
    return finish((0..<wordCount(of: count)).reduce(seed) { mix($0, words[$1]) })
  }

  /// Returns the index of the first empty slot for a hash, or `nil` if all probed slots are used.
  private func freeSlot(for hash: UInt32) -> Int? {
    var index = Int(hash) & (slotCount - 1)
    for _ in 0..<Self.probeCountMax {
      if slots[index] == Self.emptySlot { return index }
      index = (index + 1) & (slotCount - 1)
    }
    return nil
  }

  /// Writes the entry of the group whose event class IDs are in ``words``. Returns `false` if there is not enough memory.
  private mutating func write(_ contribution: ContributionView, codeCount: Int, gap: Int, flow: Int) -> Bool {
    let entry = Entry(
      flow: Int32(flow), codeCount: UInt16(codeCount), gap: UInt16(gap), spanCount: UInt16(contribution.spans.count),
      partCount: UInt16(contribution.parts.count), counterCount: UInt16(contribution.counters.count),
      noteCount: UInt16(contribution.notes.count))
    let layout = Layout(entry)
    guard used + layout.byteCount <= Self.bytesMax else { return false }
    let target = memory + used
    target.assumingMemoryBound(to: Entry.self).initialize(to: entry)
    (target + MemoryLayout<Entry>.stride).copyMemory(from: words, byteCount: Self.wordCount(of: codeCount) * 8)
    let shortSpans = (target + layout.shortSpans).assumingMemoryBound(to: ShortSpan.self)
    for (index, span) in contribution.spans.enumerated() { (shortSpans + index).initialize(to: ShortSpan(span)) }
    Self.copy(contribution.parts, to: target + layout.parts)
    Self.copy(contribution.spans, to: target + layout.spans)
    Self.copy(contribution.counters, to: target + layout.counters)
    Self.copy(contribution.notes, to: target + layout.notes)
    used += layout.byteCount
    return true
  }

  private static func copy<Element>(_ elements: UnsafeBufferPointer<Element>, to target: UnsafeMutableRawPointer) {
    guard let source = elements.baseAddress else { return }
    target.copyMemory(from: source, byteCount: elements.count * MemoryLayout<Element>.stride)
  }

  /// Doubles the number of slots.
  ///
  /// An entry without an empty slot near its hash is no longer found, but its hits are still counted.
  private mutating func grow() {
    let old = UnsafeMutableBufferPointer(start: slots, count: slotCount)
    slotCount *= 2
    slots = .allocate(capacity: slotCount)
    slots.initialize(repeating: Self.emptySlot, count: slotCount)
    for slot in old where slot != Self.emptySlot {
      let entry = entry(at: slot & Self.placeMask)
      if let free = freeSlot(for: Self.hash(of: entry)) { slots[free] = slot }
    }
    old.deallocate()
  }
}
