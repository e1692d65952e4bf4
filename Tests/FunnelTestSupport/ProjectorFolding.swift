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
  package func fold(_ sequence: Journey, into aggregate: inout Aggregate) {
    guard !sequence.events.isEmpty else { return }
    var contribution = Contribution()
    contribution.setEntries(sequence.entries)
    var chain = ChainMatch()
    projection.contribute(sequence.events, into: &contribution, chain: &chain)
    // Swaps the tally into the sink and back; with a second reference to it, the first change would copy all counters.
    var sink = JourneySink(sequence: sequence, projection: projection)
    swap(&sink.aggregate, &aggregate)
    contribution.withView { $0.count(by: projection.query.clock, into: &sink) }
    swap(&sink.aggregate, &aggregate)
  }

  /// Returns the counts of some journeys.
  package func state(of sequences: some Sequence<StoredSequence>) -> Aggregate {
    var state = emptyState
    for sequence in sequences { sequence.withJourney { fold($0, into: &state) } }
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
  let sequence: Journey
  let clock: WindowClock
  let valueKeys: [[Dimension]?]
  var aggregate = Aggregate.none
  private var lookup: SegmentLookup
  private var coverage: KeyCoverageCounter
  private let columns: JourneyColumns

  init(sequence: Journey, projection: FlowProjection) {
    self.sequence = sequence
    clock = projection.query.clock
    valueKeys = projection.valueKeys
    let segments = sequence.segments
    columns = JourneyColumns(of: sequence)
    lookup = SegmentLookup(question: projection.query.segments) { segments }
    coverage = KeyCoverageCounter(projection.query, currentSegments: { segments })
  }

  func milliseconds(at event: Int) -> Int64 { sequence.events[event].milliseconds }

  mutating func segmentNumber(at event: Int, stepEvents: UnsafeBufferPointer<UInt32>) -> Int? {
    columns.withHistory { sequence in
      lookup.segmentNumber(of: sequence, at: event, within: window(from: event), stepEvents: stepEvents, in: &aggregate)
    }
  }

  private func window(from event: Int) -> ConversionWindow { clock.window(from: sequence.events[event].milliseconds) }

  mutating func add(_ amount: Int, to counter: Int, in segment: Int) { aggregate.add(amount, to: counter, in: segment) }

  mutating func record(_ milliseconds: Int64, of duration: Int, in segment: Int) {
    aggregate.record(milliseconds, of: duration, in: segment)
  }

  mutating func take(_ note: Contribution.Note, in segment: Int) {
    // A journey has no name.
    guard note.content != .example else { return }
    if [.coverage, .coverageOfCompleted, .coverageOfStep].contains(note.content) {
      return columns.withHistory { coverage.take(note, of: $0, into: &aggregate) }
    }
    if note.content == .mixed {
      let event = Int(note.event)
      let isMixed = columns.withHistory { lookup.areMixed($0, from: event, within: window(from: event)) }
      if isMixed { aggregate.add(1, to: Int(note.slot), in: segment) }
      return
    }
    guard note.content != .properties else {
      let properties = sequence.segments.value(of: .properties, row: sequence.events[Int(note.event)].row)
      for member in PropertiesText.decode(properties) {
        aggregate.countProperty(member.key, member.value, 1, in: Int(note.slot), of: segment)
      }
      return
    }
    let values = (valueKeys[Int(note.slot)] ?? []).map { key -> PropertyValue in
      var event = Int(note.event)
      while note.content == .valuesSoFar, event > 0, sequence.segments.value(of: key, row: sequence.events[event].row) == .null
      {
        event -= 1
      }
      return sequence.segments.value(of: key, row: sequence.events[event].row)
    }
    aggregate.count(values, in: Int(note.slot), of: segment)
  }

  mutating func count(_ values: [PropertyValue], in slot: Int, of segment: Int) {
    aggregate.count(values, in: slot, of: segment)
  }
}

/// The events of a journey in columns, each with a code of its own.
private struct JourneyColumns {
  private let codes: [UInt32]
  private let times: [Int64]
  private let rows: [UInt32]
  let kinds: [EventClassTable.Entry]

  init(of sequence: Journey) {
    codes = sequence.events.indices.map { UInt32($0) }
    times = sequence.events.map(\.milliseconds)
    rows = sequence.events.map(\.row)
    kinds = sequence.events.map { EventClassTable.Entry(flow: 0, kind: $0.kind) }
  }

  func withHistory<Result>(_ body: (EventSequence) -> Result) -> Result {
    codes.withUnsafeBufferPointer { codes in
      times.withUnsafeBufferPointer { times in
        rows.withUnsafeBufferPointer { rows in
          guard let codes = codes.baseAddress, let times = times.baseAddress else {
            preconditionFailure("a journey has an event")
          }
          return body(EventSequence(count: self.codes.count, classIDs: codes, times: times, rows: rows.baseAddress))
        }
      }
    }
  }
}
