import FunnelIndex
import FunnelModel

/// A cache of contributions. The key is the sequence of a group's event class IDs, and the index of the gap in it.
///
/// Users take few different paths through a flow, so the contribution of nearly every group is cached. The size is
/// bounded: long groups are not cached, and no contribution is added once the cache is full. Not thread-safe: each
/// worker owns one.
struct ContributionCache: ~Copyable {
  /// The largest number of events of a cached group.
  static let groupEventsMax = 96
  private static let entryCountMax = 1 << 14
  private static let bytesMax = 8 << 20

  /// The index of an entry, valid as long as the cache.
  struct Index: BitwiseCopyable {
    fileprivate let value: Int
  }

  /// A cached contribution.
  struct Entry {
    /// The number of groups that were added by ``FoldWorker`` as hits only. Their counters are not incremented yet.
    fileprivate(set) var hits = 0
    /// The index of the flow among those of the plan.
    let flow: Int32
    /// The number of events.
    let classCount: UInt16
    /// The index of the event after the gap (``FoldWorker``), or 0 if there is no gap.
    let gap: UInt16
    let hash: UInt32
    /// The index in ``keys`` of the first word of the event class IDs.
    let firstWord: UInt32
    let sections: Range<UInt32>
    let counters: Range<UInt32>
    /// The range both in ``intervals`` and in ``shortIntervals``.
    let intervals: Range<UInt32>
    let samples: Range<UInt32>
  }

  /// An interval whose indices and duration ID fit into one byte each, as those of all cached groups do.
  // Those of most groups share a cache line.
  struct ShortInterval: BitwiseCopyable {
    let from: UInt8
    let to: UInt8
    let duration: UInt8

    fileprivate init(_ interval: Contribution.Interval) {
      from = UInt8(interval.from)
      to = UInt8(interval.to)
      duration = UInt8(interval.duration)
    }
  }

  private var table = HashTable()
  /// The words of the current group's key.
  private var key = GroupKey()
  private var entries: [Entry] = []
  // The elements of all entries, those of one entry adjacent.
  private var keys: [UInt64] = []
  private var sections: [Contribution.Section] = []
  private var counters: [Contribution.Counter] = []
  private var intervals: [Contribution.Interval] = []
  private var shortIntervals: [ShortInterval] = []
  private var samples: [Contribution.Sample] = []

  /// Creates an empty cache.
  init() {}

  /// Returns the entry of a group, or `nil` if the group is not cached.
  ///
  /// - Parameters:
  ///   - classIDs: The event class IDs of the group's events.
  ///   - gap: The index of the event after the gap, or 0 if there is no gap.
  @inline(__always)
  mutating func find(_ classIDs: Span<EventClassID>, gap: Int = 0) -> Index? {
    guard classIDs.count <= Self.groupEventsMax, let hash = key.pack(classIDs, gap: gap) else { return nil }
    var probe = table.firstProbe(of: hash)
    while let candidate = table.next(&probe) {
      let entry = entries[candidate]
      if entry.hash == hash, Int(entry.classCount) == classIDs.count, Int(entry.gap) == gap, hasKey(entry) {
        return Index(value: candidate)
      }
    }
    return nil
  }

  /// Returns whether the event class IDs of an entry are those of ``key``. Their count must be the same.
  @inline(__always)
  private func hasKey(_ entry: Entry) -> Bool {
    let first = Int(entry.firstWord)
    for index in 0..<GroupKey.wordCount(of: Int(entry.classCount)) where keys[first &+ index] != key[index] { return false }
    return true
  }

  /// Adds the contribution of a group that has no entry. Does nothing if the cache is full, or if the group is not cacheable.
  ///
  /// A group is not cacheable if it is too long, if its contribution depends on times, or if an ID does not fit into
  /// an entry's fields.
  mutating func add(_ classIDs: Span<EventClassID>, gap: Int, flow: Int, contribution: borrowing Contribution) {
    guard !contribution.dependsOnTimes, classIDs.count <= Self.groupEventsMax, entries.count < Self.entryCountMax,
      byteCount < Self.bytesMax, contribution.intervals.allSatisfy({ $0.duration <= UInt8.max }),
      let hash = key.pack(classIDs, gap: gap), table.insert(entries.count, hash: hash)
    else { return }
    assert(contribution.stepEvents.isEmpty && contribution.constants.isEmpty, "a cached contribution has counters and samples")
    let firstWord = UInt32(keys.count)
    for index in 0..<GroupKey.wordCount(of: classIDs.count) { keys.append(key[index]) }
    shortIntervals.append(contentsOf: contribution.intervals.lazy.map(ShortInterval.init))
    entries.append(
      Entry(
        flow: Int32(flow), classCount: UInt16(classIDs.count), gap: UInt16(gap), hash: hash, firstWord: firstWord,
        sections: Self.append(contribution.sections, to: &sections),
        counters: Self.append(contribution.counters, to: &counters),
        intervals: Self.append(contribution.intervals, to: &intervals),
        samples: Self.append(contribution.samples, to: &samples)))
    assert(intervals.count == shortIntervals.count, "an interval and its short form have the same index")
    if table.isCrowded(by: entries.count) {
      table.grow()
      for (index, entry) in entries.enumerated() { _ = table.insert(index, hash: entry.hash) }
    }
  }

  /// Appends elements to those of all entries, and returns their range.
  private static func append<Element>(_ elements: [Element], to all: inout [Element]) -> Range<UInt32> {
    let start = UInt32(all.count)
    all += elements
    return start..<UInt32(all.count)
  }

  /// The size of all entries.
  private var byteCount: Int {
    entries.count * MemoryLayout<Entry>.stride + keys.count * MemoryLayout<UInt64>.stride
      + sections.count * MemoryLayout<Contribution.Section>.stride
      + counters.count * MemoryLayout<Contribution.Counter>.stride
      + intervals.count * (MemoryLayout<Contribution.Interval>.stride + MemoryLayout<ShortInterval>.stride)
      + samples.count * MemoryLayout<Contribution.Sample>.stride
  }
}

extension ContributionCache {
  /// The indices of all entries.
  var indices: some Sequence<Index> { entries.indices.lazy.map { Index(value: $0) } }

  /// Returns an entry.
  subscript(index: Index) -> Entry { entries[index.value] }

  /// Returns the contribution of an entry.
  @inline(__always)
  @_lifetime(borrow self)
  func view(of index: Index) -> ContributionView {
    let entry = entries[index.value]
    return ContributionView(
      sections: sections.span.extracting(Self.range(entry.sections)),
      counters: counters.span.extracting(Self.range(entry.counters)),
      intervals: intervals.span.extracting(Self.range(entry.intervals)),
      samples: samples.span.extracting(Self.range(entry.samples)), stepEvents: Span(), constants: Span())
  }

  @inline(__always)
  private static func range(_ range: Range<UInt32>) -> Range<Int> {
    Range(uncheckedBounds: (Int(range.lowerBound), Int(range.upperBound)))
  }
}

extension ContributionCache {
  /// Counts a group with closed windows, in the segment without values, as a hit of an entry. Its counters are
  /// incremented by ``addHits(of:to:)``.
  @inline(__always)
  mutating func addHit(to index: Index, of group: EventSequence, in flow: inout FlowAccumulator) {
    entries[index.value].hits &+= 1
    let entry = entries[index.value]
    flow.record(shortIntervals.span.extracting(Self.range(entry.intervals)), times: group.allTimes)
    for sample in Self.range(entry.samples) { flow.collect(samples[sample], of: group, in: 0) }
  }

  /// Increments the counters of an entry by its hits. Call it once, after the last group.
  func addHits(of index: Index, to flow: inout FlowAccumulator) {
    let entry = entries[index.value]
    for counter in Self.range(entry.counters) where counters[counter].counts(isOpen: false) {
      flow.add(entry.hits, to: Int(counters[counter].id), in: 0)
    }
  }

  /// Adds the contribution of an entry (``ContributionView/add(_:by:to:)``).
  @inline(__always)
  func add(_ index: Index, _ group: EventSequence, by clock: WindowClock, to flow: inout FlowAccumulator) {
    view(of: index).add(group, by: clock, to: &flow)
  }

  /// Returns whether the contribution of an entry is selected (``ContributionView/isSelected(by:_:by:in:)``).
  func isSelected(
    _ index: Index, by roles: [CounterRole], _ group: EventSequence, by clock: WindowClock, in flow: inout FlowAccumulator
  ) -> Bool {
    view(of: index).isSelected(by: roles, group, by: clock, in: &flow)
  }
}
