import FunnelIndex
import FunnelModel

/// The aggregate that one worker builds for one flow version, with the buffers and caches it uses.
struct FlowAccumulator: ~Copyable {
  let projection: FlowProjection
  let clock: WindowClock
  let countBy: FlowDefinition.CountBy
  private(set) var aggregate: Aggregate
  private var lookup: SegmentLookup
  private var buffers: DurationBuffers
  private var values: ValueCounter
  private var properties: PropertyCounter
  private var coverage: KeyCoverageCounter
  private var crossings: CrossCounter
  /// Whether a group's segment depends only on the dimension row and the time of its anchor.
  private let readsAnchorAlone: Bool
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
    lookup = SegmentLookup(query: projection.query.segments, currentSegments: currentSegments)
    buffers = DurationBuffers(durationCount: projection.durationCount)
    values = ValueCounter(projection.valueKeys, currentSegments: currentSegments)
    properties = PropertyCounter(
      idCount: aggregate.shape.properties, measuredKeys: source.measuredKeys, currentSegments: currentSegments)
    coverage = KeyCoverageCounter(projection.query, currentSegments: currentSegments)
    crossings = CrossCounter(
      aggregate.shape.crossings, query: projection.query.query, currentSegments: currentSegments)
    readsAnchorAlone = projection.query.segments.readsAnchorAlone
    subjectRule = projection.makeSubjectRule()
  }

  /// Records the intervals of a group with closed windows in the segment without values.
  ///
  /// - Parameter times: The times of the group's events, in milliseconds since the epoch.
  @inline(__always)
  mutating func record(_ intervals: Span<ContributionCache.ShortInterval>, times: Span<Int64>) {
    buffers.record(intervals, times: times, into: &aggregate)
  }

  /// Empties all buffers and returns the aggregate. Call it once, after the last group.
  mutating func finish() -> Aggregate {
    buffers.drain(into: &aggregate)
    values.drain(into: &aggregate)
    properties.drain(into: &aggregate)
    crossings.drain(into: &aggregate)
    return aggregate
  }
}

extension FlowAccumulator: ContributionSink {
  @inline(__always)
  func milliseconds(at event: Int, of group: EventSequence) -> Int64 { group.times[event] }

  @inline(__always)
  mutating func segmentNumber(of group: EventSequence, at event: Int, stepEvents: Span<StepEvents?>) -> Int? {
    let milliseconds = group.times[event]
    guard readsAnchorAlone else {
      return lookup.segmentNumber(
        of: group, at: event, within: clock.window(from: milliseconds), stepEvents: stepEvents, in: &aggregate)
    }
    return lookup.segmentNumber(row: group.rows?[event] ?? 0, milliseconds: milliseconds, in: &aggregate)
  }

  @inline(__always)
  mutating func add(_ amount: Int, to counter: Int, in segment: Int) { aggregate.add(amount, to: counter, in: segment) }

  @inline(__always)
  mutating func record(_ milliseconds: Int64, of duration: Int, in segment: Int) {
    buffers.record(milliseconds, of: duration, in: segment, into: &aggregate)
  }

  @inline(__always)
  mutating func collect(_ sample: Contribution.Sample, of group: EventSequence, in segment: Int) {
    switch sample {
    case .properties(let event, let id): properties.count(Int(event), of: group, id: Int(id), segment: segment)
    case .values(let event, let id): values.count(Int(event), of: group, id: Int(id), segment: segment)
    case .valuesSoFar(let event, let id):
      values.countSoFar(Int(event), of: group, id: Int(id), segment: segment, into: &aggregate)
    case .constant: preconditionFailure("constant values are counted without a group")
    case .example(let id):
      guard let names = group.names else { preconditionFailure("a projector with examples asks for names") }
      aggregate.addExample(countBy.isOfPersons ? names.person : names.subject, to: Int(id), in: segment)
    case .coverage(let anchor, let counter, let isCompleted):
      coverage.count(group, anchor: Int(anchor), from: Int(counter), isCompleted: isCompleted, into: &aggregate)
    case .stepOfCoverage(let step, let event): coverage.addStepEvent(Int(event), ofStep: Int(step))
    case .crossing(let anchor, let id, let isSuccess):
      let window = clock.window(from: group.times[Int(anchor)])
      crossings.count(
        group, anchor: Int(anchor), within: window, isSuccess: isSuccess, id: Int(id), segment: segment)
    case .mixed(let anchor, let counter):
      let window = clock.window(from: group.times[Int(anchor)])
      if lookup.areMixed(group, from: Int(anchor), within: window) { aggregate.add(1, to: Int(counter), in: segment) }
    }
  }

  mutating func count(_ values: [PropertyValue], in id: Int, of segment: Int) {
    aggregate.count(values, in: id, of: segment)
  }
}
