internal import CMemory
internal import FunnelModel

/// A cursor over the subjects of a partition, with the types and times of each subject's events (section `plain`).
struct PlainCursor {
  /// The number of subjects of the partition.
  let subjectCount: Int
  /// The largest number of events of one subject.
  let eventsMax: Int
  /// The number of bytes of one type code: 1, 2 or 4.
  let typeWidth: Int
  /// For each subject the end of its events, shifted by one; the low bit is set if its times are wide.
  private let ends: UnsafePointer<UInt32>
  /// The first time of each subject.
  private let firsts: UnsafePointer<Int64>
  /// The type codes of all events.
  private let typeBytes: UnsafeRawPointer
  /// The offset of each event's time from the first: one word, or two for a subject with wide times.
  private let offsets: UnsafePointer<UInt32>
  /// The number of words of ``offsets``.
  private let offsetCount: Int
  /// Whether the times of some subjects are wide.
  private let hasWide: Bool
  /// The number of events of the subjects before the current one.
  private var eventsBefore = 0
  /// The number of words of ``offsets`` of the subjects before the current one.
  private var offsetsBefore = 0
  /// The index of the current subject, or ``beforeFirst``.
  private(set) var subject = beforeFirst
  /// The number of events of the current subject.
  private(set) var count = 0
  /// Whether the times of the current subject are wide.
  private var isWide = false
  /// The time of the current subject's first event.
  private(set) var first: Int64 = 0

  private static let beforeFirst = -1  // one less than the first index, to which next() advances

  /// Opens the section of a partition, and validates it unless that was done before.
  ///
  /// - Throws: `inputOutput` if the section is damaged.
  init(_ run: SortedRun, partition: Int) throws(FunnelError) {
    subjectCount = run.subjectCount(ofPartition: partition)
    typeWidth = run.typeWidth
    let events = run.eventCount(ofPartition: partition)
    let section = try run.section(.plain, ofPartition: partition)
    let endBytes = IndexFormat.aligned(subjectCount * MemoryLayout<UInt32>.size)
    let headBytes = endBytes + subjectCount * MemoryLayout<Int64>.size
    let bytesBeforeOffsets = headBytes + (events * typeWidth + 3) / 4 * 4  // offsets are aligned to 4 bytes
    guard subjectCount > 0, let base = section.baseAddress else {
      guard section.isEmpty, events == 0, subjectCount == 0 else { throw IndexDamage.error }
      eventsMax = 0
      offsetCount = 0
      hasWide = false
      // An arbitrary aligned address: nothing is read from it.
      ends = UnsafePointer(bitPattern: 8)!
      firsts = UnsafePointer(bitPattern: 8)!
      typeBytes = UnsafeRawPointer(ends)
      offsets = ends
      return
    }
    guard section.count >= bytesBeforeOffsets else { throw IndexDamage.error }
    ends = base.assumingMemoryBound(to: UInt32.self)
    firsts = (base + endBytes).assumingMemoryBound(to: Int64.self)
    typeBytes = base + headBytes
    offsets = (base + bytesBeforeOffsets).assumingMemoryBound(to: UInt32.self)
    offsetCount = (section.count - bytesBeforeOffsets) / MemoryLayout<UInt32>.size
    hasWide = offsetCount != events
    // A run that stays open was validated when its partition was first read.
    if let known = run.eventsMax(ofPartition: partition) {
      eventsMax = known
      return
    }
    eventsMax = try Self.eventsMax(ends, subjects: subjectCount, events: events, offsets: offsetCount)
    guard Self.typeMax(typeBytes, width: typeWidth, count: events) < run.types.count else { throw IndexDamage.error }
    run.setEventsMax(eventsMax, ofPartition: partition)
  }

  /// Advances to the next subject. Returns `false` at the end.
  @inline(__always)
  mutating func next() -> Bool {
    guard subject &+ 1 < subjectCount else { return false }
    eventsBefore &+= count
    offsetsBefore &+= isWide ? count &* 2 : count
    subject &+= 1
    let end = ends[subject]
    count = Int(end >> 1) &- eventsBefore
    isWide = end & 1 != 0
    first = firsts[subject]
    return true
  }

  /// Advances to a subject, whose index must not be less than that of the current one.
  mutating func jump(to target: Int) {
    precondition(target >= subject && target < subjectCount, "a cursor moves on to a subject of its partition")
    guard target > subject + 1 else {
      if target > subject { _ = next() }
      return
    }
    if hasWide {
      while subject < target { _ = next() }
    } else {
      // Without wide times, each event has one offset, so subjects can be jumped over.
      eventsBefore = Int(ends[target - 1] >> 1)
      offsetsBefore = eventsBefore
      subject = target - 1
      count = 0
      _ = next()
    }
  }

  /// Prefetches the memory that ``jump(to:)`` reads for a subject.
  @inline(__always)
  func prefetchBounds(of subject: Int) {
    funnel_prefetch(ends + max(subject &- 1, 0))
    funnel_prefetch(firsts + subject)
  }

  /// Prefetches the first types and times of a subject, and the last time.
  @inline(__always)
  func prefetchEvents(of subject: Int) {
    let start = subject > 0 ? Int(ends[subject &- 1] >> 1) : 0
    let end = Int(ends[subject] >> 1)
    funnel_prefetch(typeBytes + start &* typeWidth)
    // Offsets are not at the index of their event if a subject before has wide times.
    if hasWide { return }
    funnel_prefetch(offsets + start)
    funnel_prefetch(offsets + (end &- 1))
  }

  /// Returns the time of an event of the current subject.
  @inline(__always)
  func time(_ event: Int) -> Int64 {
    let offsets = offsets + offsetsBefore
    if !isWide { return first &+ Int64(offsets[event]) }
    return first &+ Int64(bitPattern: UInt64(offsets[event &* 2]) | UInt64(offsets[event &* 2 &+ 1]) << 32)
  }

  /// The time of the last event of the current subject.
  @inline(__always)
  var last: Int64 { time(count &- 1) }

  /// The time offsets of the current subject's events, or `nil` if they are wide.
  @inline(__always)
  var narrowOffsets: UnsafePointer<UInt32>? { isWide ? nil : offsets + offsetsBefore }

  /// The type codes of the current subject's events, each of ``typeWidth`` bytes.
  @inline(__always)
  var types: UnsafeRawPointer { typeBytes + eventsBefore &* typeWidth }

  /// Returns the type code of an event of the current subject.
  @inline(__always)
  func type(_ event: Int) -> Int {
    switch typeWidth {
    case 1: Int(types.loadUnaligned(fromByteOffset: event, as: UInt8.self))
    case 2: Int(types.loadUnaligned(fromByteOffset: event &* 2, as: UInt16.self))
    default: Int(types.loadUnaligned(fromByteOffset: event &* 4, as: UInt32.self))
    }
  }

  /// Returns the largest number of events of one subject.
  ///
  /// - Throws: `inputOutput` if the ends do not ascend to the number of events, or do not match the number of offsets.
  private static func eventsMax(
    _ ends: UnsafePointer<UInt32>, subjects: Int, events: Int, offsets: Int
  ) throws(FunnelError) -> Int {
    var before: UInt32 = 0
    var longest: UInt32 = 0
    var shortest = UInt32.max
    var needed = 0
    for subject in 0..<subjects {
      let end = ends[subject]
      // Wraps around if the ends do not ascend, and is then greater than any valid count.
      let count = (end >> 1) &- before
      before = end >> 1
      longest = max(longest, count)
      shortest = min(shortest, count)
      needed &+= Int(count) << Int(end & 1)
    }
    guard shortest > 0, Int(before) == events, longest <= before, needed == offsets else { throw IndexDamage.error }
    return Int(longest)
  }

  /// Returns the largest type code, or 0 if there are no events.
  private static func typeMax(_ types: UnsafeRawPointer, width: Int, count: Int) -> Int {
    switch width {
    case 1: Int(maximum(types.assumingMemoryBound(to: UInt8.self), count))
    case 2: Int(maximum(types.assumingMemoryBound(to: UInt16.self), count))
    default: Int(maximum(types.assumingMemoryBound(to: UInt32.self), count))
    }
  }

  @inline(__always)
  private static func maximum<Code: FixedWidthInteger & UnsignedInteger>(_ codes: UnsafePointer<Code>, _ count: Int) -> Code {
    var largest: Code = 0
    for index in 0..<count { largest = max(largest, codes[index]) }
    return largest
  }
}
