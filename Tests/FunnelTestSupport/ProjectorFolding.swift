import FunnelSequences
import FunnelIndex
package import FunnelModel
package import FunnelProjections

extension [StoredSequence] {
  /// Returns the rows of one projector.
  package func rows<P: Projector>(_ type: P.Type, flow: FlowDefinition, query: ReportQuery) -> [P.Row] {
    let fold = JourneyFold(flow: flow, query: query, projectors: [type])
    return fold.rows(of: type, from: fold.state(of: self)) ?? []
  }
}

/// Folds journeys that are passed to it one by one, without a source of histories and without the cache of outlines.
package struct JourneyFold {
  private let projection: FlowProjection

  package init(flow: FlowDefinition, query: ReportQuery, projectors: [any Projector.Type]) {
    projection = FlowProjection(flow: flow, query: query, projectors: projectors)
  }

  /// The state before any group has been counted.
  package var emptyState: Aggregate { projection.emptyAggregate }

  /// Counts one group.
  package func fold(_ sequence: StoredSequence, into aggregate: inout Aggregate) {
    guard !sequence.events.isEmpty else { return }
    var contribution = Contribution()
    var chain = ChainMatch()
    let events = GroupEvents(sequence.events.span, entries: sequence.entries.span, query: projection.query)
    projection.contribute(events, into: &contribution, chain: &chain)
    // Swaps the tally into the sink and back; with a second reference to it, the first change would copy all counters.
    var sink = JourneySink(sequence: sequence, projection: projection)
    swap(&sink.aggregate, &aggregate)
    contribution.add(sequence, by: projection.query.clock, to: &sink)
    swap(&sink.aggregate, &aggregate)
  }

  /// Returns the counts of some journeys.
  package func state(of sequences: some Sequence<StoredSequence>) -> Aggregate {
    var state = emptyState
    for sequence in sequences { fold(sequence, into: &state) }
    return state
  }

  /// Returns the counts of some journeys in the form in which they are stored and sent.
  package func counts(of sequences: some Sequence<StoredSequence>) -> FlowCounts { counts(state(of: sequences)) }

  /// Returns a state in the form in which it is stored and sent.
  package func counts(_ state: Aggregate) -> FlowCounts { FlowCounts(projection: projection, aggregate: state) }

  /// The counts of no journey.
  package var noCounts: FlowCounts { FlowCounts(projection) }

  /// Returns the rows of one projector, or nil if it is not among those of the fold.
  package func rows<P: Projector>(of type: P.Type, from state: Aggregate) -> [P.Row]? { projection.rows(of: type, from: state) }
}

/// Counts one journey into a tally.
private struct JourneySink: ContributionSink {
  let clock: WindowClock
  let valueKeys: [[Dimension]?]
  var aggregate = Aggregate.none
  private var lookup: SegmentLookup
  private var coverage: KeyCoverageCounter
  private let columns: JourneyColumns

  init(sequence: StoredSequence, projection: FlowProjection) {
    clock = projection.query.clock
    valueKeys = projection.valueKeys
    let segments = sequence.segments
    columns = JourneyColumns(of: sequence)
    lookup = SegmentLookup(query: projection.query.segments) { segments }
    coverage = KeyCoverageCounter(projection.query, currentSegments: { segments })
  }

  func milliseconds(at event: Int, of group: StoredSequence) -> Int64 { group.events[event].milliseconds }

  mutating func segmentNumber(of group: StoredSequence, at event: Int, stepEvents: Span<StepEvents?>) -> Int? {
    columns.withHistory { sequence in
      lookup.segmentNumber(
        of: sequence, at: event, within: clock.window(from: sequence.times[event]), stepEvents: stepEvents, in: &aggregate)
    }
  }

  mutating func add(_ amount: Int, to counter: Int, in segment: Int) { aggregate.add(amount, to: counter, in: segment) }

  mutating func record(_ milliseconds: Int64, of duration: Int, in segment: Int) {
    aggregate.record(milliseconds, of: duration, in: segment)
  }

  mutating func collect(_ sample: Contribution.Sample, of group: StoredSequence, in segment: Int) {
    switch sample {
    // A journey has no name.
    case .example, .constant: break
    // The tests of commands compare these counts with a brute force.
    case .crossing: break
    case .coverage(let anchor, let counter, let isCompleted):
      columns.withHistory {
        coverage.count($0, anchor: Int(anchor), from: Int(counter), isCompleted: isCompleted, into: &aggregate)
      }
    case .stepOfCoverage(let step, let event): coverage.addStepEvent(Int(event), ofStep: Int(step))
    case .mixed(let anchor, let counter):
      let isMixed = columns.withHistory {
        lookup.areMixed($0, from: Int(anchor), within: clock.window(from: $0.times[Int(anchor)]))
      }
      if isMixed { aggregate.add(1, to: Int(counter), in: segment) }
    case .properties(let event, let id):
      for member in PropertiesText.decode(group.segments.value(of: .properties, row: group.events[Int(event)].row)) {
        aggregate.countProperty(member.key, member.value, 1, in: Int(id), of: segment)
      }
    case .values(let event, let id):
      let row = group.events[Int(event)].row
      aggregate.count((valueKeys[Int(id)] ?? []).map { group.segments.value(of: $0, row: row) }, in: Int(id), of: segment)
    case .valuesSoFar(let event, let id):
      let values = (valueKeys[Int(id)] ?? []).map { key -> PropertyValue in
        var event = Int(event)
        while event > 0, group.segments.value(of: key, row: group.events[event].row) == .null { event -= 1 }
        return group.segments.value(of: key, row: group.events[event].row)
      }
      aggregate.count(values, in: Int(id), of: segment)
    }
  }

  mutating func count(_ values: [PropertyValue], in id: Int, of segment: Int) {
    aggregate.count(values, in: id, of: segment)
  }
}

/// The events of a journey in columns, each with a code of its own.
private struct JourneyColumns {
  private let codes: [UInt32]
  private let times: [Int64]
  private let rows: [UInt32]
  let kinds: [EventClassTable.Entry]

  init(of sequence: StoredSequence) {
    codes = sequence.events.indices.map { UInt32($0) }
    times = sequence.events.map(\.milliseconds)
    rows = sequence.events.map(\.row)
    kinds = sequence.events.map { EventClassTable.Entry(flow: 0, kind: $0.kind) }
  }

  func withHistory<Result>(_ body: (EventSequence) -> Result) -> Result {
    codes.withUnsafeBufferPointer { codes in
      times.withUnsafeBufferPointer { times in
        rows.withUnsafeBufferPointer { rows in
          body(
            EventSequence(
              classIDs: BorrowedColumn(codes), times: BorrowedColumn(times), rows: BorrowedColumn(rows)))
        }
      }
    }
  }
}
