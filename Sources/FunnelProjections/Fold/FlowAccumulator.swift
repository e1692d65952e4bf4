import FunnelIndex
import FunnelModel

/// The aggregate that one worker builds for one flow version, with the buffers and caches it uses.
struct FlowAccumulator: ~Copyable {
  let projection: FlowProjection
  let clock: WindowClock
  let countBy: FlowDefinition.CountBy
  private(set) var aggregate: Aggregate
  private var lookup: SegmentLookup
  private let buffers: DurationBuffers
  private var values: ValueCounter
  private var properties: PropertyCounter
  private var coverage: KeyCoverageCounter
  /// Whether a group's segment depends only on the dimension row and the time of its anchor.
  let readsAnchorAlone: Bool
  /// The rule about all groups of a subject, or `nil` if no projector has one.
  var subjectRule: (any SubjectRule)?

  /// Creates an empty accumulator.
  ///
  /// - Parameter source: The source of the event sequences.
  init(_ projection: FlowProjection, of source: some SequenceSource) {
    let currentSegments: @Sendable () -> SegmentTable = { source.segments }
    self.projection = projection
    clock = projection.query.clock
    countBy = projection.query.countBy
    aggregate = projection.emptyAggregate
    lookup = SegmentLookup(question: projection.query.segments, currentSegments: currentSegments)
    buffers = DurationBuffers(durationCount: projection.durationCount)
    values = ValueCounter(projection.valueKeys, currentSegments: currentSegments)
    properties = PropertyCounter(
      slotCount: aggregate.shape.properties, measuredKeys: source.measuredKeys, currentSegments: currentSegments)
    coverage = KeyCoverageCounter(projection.query, currentSegments: currentSegments)
    readsAnchorAlone = projection.query.segments.readsAnchorAlone
    subjectRule = projection.makeSubjectRule()
  }

  /// Returns the number of a group's segment if ``readsAnchorAlone``, or `nil` if a condition of the query does not hold.
  @inline(__always)
  mutating func segmentNumber(row: UInt32, milliseconds: Int64) -> Int? {
    lookup.segmentNumber(row: row, milliseconds: milliseconds, in: &aggregate)
  }

  /// Returns the number of a group's segment if it depends on several events, or `nil` if a condition of the query
  /// does not hold.
  mutating func segmentNumber(of group: EventSequence, at event: Int, stepEvents: UnsafeBufferPointer<UInt32>) -> Int? {
    lookup.segmentNumber(
      of: group, at: event, within: clock.window(from: group.times[event]), stepEvents: stepEvents, in: &aggregate)
  }

  /// Adds to a counter.
  @inline(__always)
  mutating func add(_ amount: Int, to counter: Int, in segment: Int) {
    aggregate.add(amount, to: counter, in: segment)
  }

  /// Records a duration in milliseconds.
  @inline(__always)
  mutating func record(_ milliseconds: Int64, of duration: Int, in segment: Int) {
    guard let rows = buffers.rows(of: segment) else {
      aggregate.record(milliseconds, of: duration, in: segment)
      return
    }
    if rows.append(milliseconds, to: duration) { rows.drain(duration, in: segment, into: &aggregate) }
  }

  /// Records the intervals of a group with closed windows in the segment without values.
  ///
  /// - Parameter times: The times of the group's events, in milliseconds since the epoch.
  @inline(__always)
  mutating func recordWhole(_ spans: UnsafeBufferPointer<ContributionCache.ShortSpan>, times: UnsafePointer<Int64>) {
    let rows = buffers.whole
    for span in spans {
      if rows.append(times[Int(span.to)] &- times[Int(span.from)], to: Int(span.duration)) {
        rows.drain(Int(span.duration), in: 0, into: &aggregate)
      }
    }
  }

  /// Collects a sample of a group.
  @inline(__always)
  mutating func take(_ note: Contribution.Note, of group: EventSequence, in segment: Int) {
    switch note.content {
    case .properties: properties.count(Int(note.event), of: group, slot: Int(note.slot), segment: segment)
    case .values, .valuesSoFar, .constant: values.take(note, of: group, in: segment, into: &aggregate)
    case .example: addExample(note, of: group, in: segment)
    case .coverage, .coverageOfCompleted, .coverageOfStep: coverage.take(note, of: group, into: &aggregate)
    case .mixed: countMixed(note, of: group, in: segment)
    }
  }

  private mutating func countMixed(_ note: Contribution.Note, of group: EventSequence, in segment: Int) {
    let anchor = Int(note.event)
    guard lookup.areMixed(group, from: anchor, within: clock.window(from: group.times[anchor])) else { return }
    aggregate.add(1, to: Int(note.slot), in: segment)
  }

  private mutating func addExample(_ note: Contribution.Note, of group: EventSequence, in segment: Int) {
    guard let names = group.names else { preconditionFailure("a projector with examples asks for names") }
    aggregate.addExample(names.subject, to: Int(note.slot), in: segment)
  }

  /// Adds constant values to value counts.
  mutating func count(_ values: [PropertyValue], in slot: Int, of segment: Int) {
    aggregate.count(values, in: slot, of: segment)
  }

  /// Empties all buffers and returns the aggregate. Call it once, after the last group.
  mutating func finish() -> Aggregate {
    buffers.drain(into: &aggregate)
    values.drain(into: &aggregate)
    properties.drain(into: &aggregate)
    return aggregate
  }
}

/// Adds the contribution of one group to the accumulator of its flow version.
struct GroupSink: ContributionSink {
  let group: EventSequence
  let flow: UnsafeMutablePointer<FlowAccumulator>

  @inline(__always)
  func milliseconds(at event: Int) -> Int64 { group.times[event] }

  @inline(__always)
  mutating func segmentNumber(at event: Int, stepEvents: UnsafeBufferPointer<UInt32>) -> Int? {
    guard flow.pointee.readsAnchorAlone else {
      return flow.pointee.segmentNumber(of: group, at: event, stepEvents: stepEvents)
    }
    return flow.pointee.segmentNumber(row: group.rows?[event] ?? 0, milliseconds: group.times[event])
  }

  @inline(__always)
  mutating func add(_ amount: Int, to counter: Int, in segment: Int) {
    flow.pointee.add(amount, to: counter, in: segment)
  }

  @inline(__always)
  mutating func record(_ milliseconds: Int64, of duration: Int, in segment: Int) {
    flow.pointee.record(milliseconds, of: duration, in: segment)
  }

  mutating func take(_ note: Contribution.Note, in segment: Int) { flow.pointee.take(note, of: group, in: segment) }

  mutating func count(_ values: [PropertyValue], in slot: Int, of segment: Int) {
    flow.pointee.count(values, in: slot, of: segment)
  }
}
