internal import CMemory
internal import FunnelModel

/// Iterates over the subjects of a partition, with the number, types and times of each one's events.
struct PlainCursor {
  let subjectCount: Int
  /// The largest number of events of one subject.
  let eventsMax: Int
  let typeWidth: Int
  private let ends: UnsafePointer<UInt32>
  private let firsts: UnsafePointer<Int64>
  private let typeBytes: UnsafeRawPointer
  private let offsets: UnsafePointer<UInt32>
  private let offsetCount: Int
  /// Whether some subject's time offsets are wide.
  private let hasWide: Bool
  private var eventsBefore = 0
  private var offsetsBefore = 0
  /// The index of the current subject; -1 before the first.
  private(set) var subject = -1
  /// The number of events of the current subject.
  private(set) var count = 0
  private var isWide = false
  /// The time of the first of them.
  private(set) var first: Int64 = 0

  init(_ run: SortedRun, partition: Int) throws(FunnelError) {
    subjectCount = run.subjectCount(ofPartition: partition)
    typeWidth = run.typeWidth
    let events = run.eventCount(ofPartition: partition)
    let section = try run.section(.plain, ofPartition: partition)
    let endBytes = (subjectCount * 4 + 7) / 8 * 8
    let headBytes = endBytes + subjectCount * 8
    let bytesBeforeOffsets = headBytes + (events * typeWidth + 3) / 4 * 4
    guard subjectCount > 0, let base = section.baseAddress else {
      guard section.isEmpty, events == 0, subjectCount == 0 else { throw IndexDamage.error }
      (eventsMax, offsetCount, hasWide) = (0, 0, false)
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
    offsetCount = (section.count - bytesBeforeOffsets) / 4
    hasWide = offsetCount != events
    // A run that stays open was looked through when its partition was read first.
    if let known = run.eventsMax(ofPartition: partition) {
      eventsMax = known
      return
    }
    eventsMax = try Self.eventsMax(ends, subjects: subjectCount, events: events, offsets: offsetCount)
    guard Self.typeMax(typeBytes, width: typeWidth, count: events) < run.types.count else { throw IndexDamage.error }
    run.setEventsMax(eventsMax, ofPartition: partition)
  }

  /// Advances to the next subject; returns false if there is none.
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

  /// Moves on to a subject, whose index is not smaller than that of the current one.
  mutating func jump(to target: Int) {
    precondition(target >= subject && target < subjectCount, "a cursor moves on to a subject of its partition")
    guard target > subject + 1 else {
      if target > subject { _ = next() }
      return
    }
    if hasWide {
      while subject < target { _ = next() }
    } else {
      (eventsBefore, subject, count) = (Int(ends[target - 1] >> 1), target - 1, 0)
      offsetsBefore = eventsBefore
      _ = next()
    }
  }

  /// Prefetches what ``jump(to:)`` reads of a subject.
  @inline(__always)
  func prefetchBounds(of subject: Int) {
    funnel_prefetch(ends + max(subject &- 1, 0))
    funnel_prefetch(firsts + subject)
  }

  /// Prefetches the first types and times of a subject, and the last time.
  @inline(__always)
  func prefetchEvents(of subject: Int) {
    let (start, end) = (subject > 0 ? Int(ends[subject &- 1] >> 1) : 0, Int(ends[subject] >> 1))
    funnel_prefetch(typeBytes + start &* typeWidth)
    // Behind wide times, offsets are elsewhere.
    if hasWide { return }
    funnel_prefetch(offsets + start)
    funnel_prefetch(offsets + (end &- 1))
  }

  /// Returns the time of an event of the current subject.
  @inline(__always)
  func time(_ event: Int) -> Int64 {
    let place = offsets + offsetsBefore
    if !isWide { return first &+ Int64(place[event]) }
    return first &+ Int64(bitPattern: UInt64(place[event &* 2]) | UInt64(place[event &* 2 &+ 1]) << 32)
  }

  /// The time of the last event of the current subject.
  @inline(__always)
  var last: Int64 { time(count &- 1) }

  /// The time offsets of the events, or nil if they are wide.
  @inline(__always)
  var narrowOffsets: UnsafePointer<UInt32>? { isWide ? nil : offsets + offsetsBefore }

  /// The type codes of the events, each of ``typeWidth`` bytes.
  @inline(__always)
  var types: UnsafeRawPointer { typeBytes + eventsBefore &* typeWidth }

  /// Returns the type code of an event.
  @inline(__always)
  func type(_ event: Int) -> Int {
    switch typeWidth {
    case 1: Int(types.loadUnaligned(fromByteOffset: event, as: UInt8.self))
    case 2: Int(types.loadUnaligned(fromByteOffset: event &* 2, as: UInt16.self))
    default: Int(types.loadUnaligned(fromByteOffset: event &* 4, as: UInt32.self))
    }
  }

  /// Checks that the ends ascend to the number of events and that the number of offsets matches; returns the most events of one subject.
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
