import FunnelHistories
import FunnelIndex
public import FunnelModel
public import FunnelProjections

extension [StoredJourney] {
  /// Returns the rows of one projector.
  public func rows<P: Projector>(_ type: P.Type, flow: FlowDefinition, query: ReportQuery) -> [P.Row] {
    let fold = JourneyFold(flow: flow, query: query, projectors: [type])
    return fold.rows(of: type, from: fold.state(of: self)) ?? []
  }
}

/// Folds journeys that are passed to it one by one, without a source of histories and without the cache of outlines.
public struct JourneyFold {
  private let projection: FlowProjection

  public init(flow: FlowDefinition, query: ReportQuery, projectors: [any Projector.Type]) {
    projection = FlowProjection(flow: flow, query: query, projectors: projectors)
  }

  /// The state before any group has been counted.
  public var emptyState: Tally { projection.emptyTally }

  /// Counts one group.
  public func fold(_ journey: Journey, into tally: inout Tally) {
    guard !journey.events.isEmpty else { return }
    var outline = Outline()
    var chain = ChainMatch()
    projection.outline(journey.events, into: &outline, chain: &chain)
    // Swaps the tally into the sink and back; with a second reference to it, the first change would copy all counters.
    var sink = JourneySink(
      journey: journey, question: projection.query.segments, valueKeys: projection.valueKeys, tally: .none)
    swap(&sink.tally, &tally)
    outline.withView { $0.count(by: projection.query.clock, into: &sink) }
    swap(&sink.tally, &tally)
  }

  /// Returns the counts of some journeys.
  public func state(of journeys: some Sequence<StoredJourney>) -> Tally {
    var state = emptyState
    for journey in journeys { journey.withJourney { fold($0, into: &state) } }
    return state
  }

  /// Returns the counts of some journeys in the form in which they are stored and sent.
  public func counts(of journeys: some Sequence<StoredJourney>) -> FlowCounts { counts(state(of: journeys)) }

  /// Returns a state in the form in which it is stored and sent.
  public func counts(_ state: Tally) -> FlowCounts { FlowCounts(projection: projection, tally: state) }

  /// The counts of no journey.
  public var noCounts: FlowCounts { FlowCounts(projection) }

  /// Returns the rows of one projector, or nil if it is not among those of the fold.
  public func rows<P: Projector>(of type: P.Type, from state: Tally) -> [P.Row]? { projection.rows(of: type, from: state) }
}

/// Counts one journey into a tally.
private struct JourneySink: OutlineSink {
  let journey: Journey
  let question: SegmentQuestion
  let valueKeys: [[Dimension]?]
  var tally: Tally

  func milliseconds(at event: Int) -> Int64 { journey.events[event].milliseconds }

  mutating func segmentNumber(at event: Int, stepEvents: UnsafeBufferPointer<UInt32>) -> Int? {
    if question.isWhole { return 0 }
    let stepRows = stepEvents.map { $0 == Outline.none ? nil : journey.events[Int($0)].row }
    let segment = question.segment(
      row: journey.events[event].row, milliseconds: journey.events[event].milliseconds, stepRows: stepRows, in: journey.segments
    )
    return segment.map { tally.segmentNumber(of: $0) }
  }

  mutating func add(_ amount: Int, to counter: Int, in segment: Int) { tally.add(amount, to: counter, in: segment) }

  mutating func record(_ milliseconds: Int64, of duration: Int, in segment: Int) {
    tally.record(milliseconds, of: duration, in: segment)
  }

  mutating func take(_ note: Outline.Note, in segment: Int) {
    // A journey has no name.
    guard note.content != .example else { return }
    guard note.content != .properties else {
      let properties = journey.segments.value(of: .properties, row: journey.events[Int(note.event)].row)
      for member in PropertiesText.decode(properties) {
        tally.countProperty(member.key, member.value, 1, in: Int(note.slot), of: segment)
      }
      return
    }
    let values = (valueKeys[Int(note.slot)] ?? []).map { key -> PropertyValue in
      var event = Int(note.event)
      while note.content == .valuesSoFar, event > 0, journey.segments.value(of: key, row: journey.events[event].row) == .null {
        event -= 1
      }
      return journey.segments.value(of: key, row: journey.events[event].row)
    }
    tally.count(values, in: Int(note.slot), of: segment)
  }

  mutating func count(_ values: [PropertyValue], in slot: Int, of segment: Int) { tally.count(values, in: slot, of: segment) }
}
