internal import FunnelModel

/// A cursor over the subjects of a partition, with the types and times of each subject's events (section `plain`).
struct PlainCursor {
  /// The number of subjects of the partition.
  let subjectCount: Int
  /// The largest number of events of one subject.
  let eventsMax: Int
  /// The number of bytes of one type code: 1, 2 or 4.
  let typeWidth: NumberWidth
  /// For each subject the end of its events, shifted by one; the low bit is set if its times are wide.
  private let ends: BorrowedColumn<UInt32>
  /// The first time of each subject.
  private let firsts: BorrowedColumn<Int64>
  /// The type codes of all events.
  private let typeCodes: PackedNumbers
  /// The offset of each event's time from the first: one word, or two for a subject with wide times.
  private let offsets: BorrowedColumn<UInt32>
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
    guard subjectCount > 0 else {
      guard section.isEmpty, events == 0 else { throw FunnelError.damagedIndex }
      eventsMax = 0
      hasWide = false
      ends = .empty
      firsts = .empty
      typeCodes = .empty
      offsets = .empty
      return
    }
    let layout = PlainLayout(subjects: subjectCount, typeWidth: typeWidth)
    let offsetStart = layout.offsetStart(events: events)
    guard section.count >= offsetStart else { throw FunnelError.damagedIndex }
    ends = section.column(of: UInt32.self, at: 0, count: subjectCount)
    firsts = section.column(of: Int64.self, at: layout.firstTimeStart, count: subjectCount)
    typeCodes = PackedNumbers(section[layout.typeOffset(0)..<layout.typeOffset(events)], width: typeWidth)
    let offsetCount = (section.count - offsetStart) / MemoryLayout<UInt32>.size
    offsets = section.column(of: UInt32.self, at: offsetStart, count: offsetCount)
    hasWide = offsetCount != events
    // A run that stays open was validated when its partition was first read.
    if let known = run.eventsMax(ofPartition: partition) {
      eventsMax = known
      return
    }
    eventsMax = try Self.eventsMax(ends, events: events, offsets: offsetCount)
    guard typeCodes.largest < UInt64(run.types.count) else { throw FunnelError.damagedIndex }
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

  /// Returns the number of events of a subject.
  func eventCount(ofSubject subject: Int) -> Int {
    Int(ends[subject] >> 1) - (subject > 0 ? Int(ends[subject - 1] >> 1) : 0)
  }

  /// Prefetches the memory that ``jump(to:)`` reads for a subject.
  @inline(__always)
  func prefetchBounds(of subject: Int) {
    ends.prefetch(max(subject &- 1, 0))
    firsts.prefetch(subject)
  }

  /// Prefetches the first types and times of a subject, and the last time.
  @inline(__always)
  func prefetchEvents(of subject: Int) {
    let start = subject > 0 ? Int(ends[subject &- 1] >> 1) : 0
    let end = Int(ends[subject] >> 1)
    typeCodes.prefetch(start)
    // Offsets are not at the index of their event if a subject before has wide times.
    if hasWide { return }
    offsets.prefetch(start)
    offsets.prefetch(end &- 1)
  }

  /// Returns the time of an event of the current subject.
  @inline(__always)
  func time(_ event: Int) -> Int64 {
    assert(event >= 0 && event < count, "an event of the current subject is read")
    if !isWide { return first &+ Int64(offsets[offsetsBefore &+ event]) }
    let index = offsetsBefore &+ event &* 2
    return first &+ Int64(bitPattern: UInt64(offsets[index]) | UInt64(offsets[index &+ 1]) << 32)
  }

  /// The time of the last event of the current subject.
  @inline(__always)
  var last: Int64 { time(count &- 1) }

  /// Returns the type code of an event of the current subject.
  @inline(__always)
  func type(_ event: Int) -> Int {
    assert(event >= 0 && event < count, "an event of the current subject is read")
    return Int(truncatingIfNeeded: typeCodes[eventsBefore &+ event])
  }

  /// The events of the current subject, or `nil` unless their types take one byte and their times are narrow.
  @inline(__always)
  var narrowEvents: NarrowEvents? {
    guard typeWidth == .one, !isWide else { return nil }
    return NarrowEvents(
      count: count, types: typeCodes.singleBytes(from: eventsBefore),
      offsets: offsets[offsetsBefore..<offsetsBefore &+ count], first: first)
  }

  /// Returns the largest number of events of one subject.
  ///
  /// - Throws: `inputOutput` if the ends do not ascend to the number of events, or do not match the number of offsets.
  private static func eventsMax(
    _ ends: BorrowedColumn<UInt32>, events: Int, offsets: Int
  ) throws(FunnelError) -> Int {
    var before: UInt32 = 0
    var longest: UInt32 = 0
    var shortest = UInt32.max
    var needed = 0
    for subject in 0..<ends.count {
      let end = ends[subject]
      // Wraps around if the ends do not ascend, and is then greater than any valid count.
      let count = (end >> 1) &- before
      before = end >> 1
      longest = max(longest, count)
      shortest = min(shortest, count)
      needed &+= Int(count) << Int(end & 1)
    }
    guard shortest > 0, Int(before) == events, longest <= before, needed == offsets else { throw FunnelError.damagedIndex }
    return Int(longest)
  }
}

/// The events of a subject whose types take one byte and whose time offsets take four.
struct NarrowEvents: BitwiseCopyable {
  let count: Int
  /// The type code of each event.
  let types: BorrowedColumn<UInt8>
  /// The offset of each event's time from the first.
  let offsets: BorrowedColumn<UInt32>
  /// The time of the first event.
  let first: Int64
}

/// The offsets of the columns in the section `plain` of a partition (``IndexFormat``).
struct PlainLayout {
  private let subjects: Int
  private let typeWidth: NumberWidth

  /// Creates the layout of a partition.
  init(subjects: Int, typeWidth: NumberWidth) {
    assert(subjects >= 0, "a count is not negative")
    self.subjects = subjects
    self.typeWidth = typeWidth
  }

  /// The offset of the subjects' first times, after the ends of their events.
  var firstTimeStart: Int { IndexFormat.aligned(subjects * MemoryLayout<UInt32>.size) }

  /// Returns the offset of an event's type code.
  func typeOffset(_ event: Int) -> Int {
    firstTimeStart + subjects * MemoryLayout<Int64>.size + event * typeWidth.rawValue
  }

  /// Returns the offset of the time offsets, which are aligned to their size.
  func offsetStart(events: Int) -> Int {
    let size = MemoryLayout<UInt32>.size
    return (typeOffset(events) + size - 1) / size * size
  }
}
