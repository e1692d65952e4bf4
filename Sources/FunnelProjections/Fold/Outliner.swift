import FunnelHistories
import FunnelModel

/// What counts a group in two steps: its outline first, then the outline into a tally.
protocol Outliner: Sendable {
  var question: SegmentQuestion { get }
  var clock: WindowClock { get }
  /// How many counters and durations a sheet has.
  var counterCount: Int { get }
  var durationCount: Int { get }

  /// Adds to an outline what a group counts for.
  func outline(_ events: UnsafeBufferPointer<JourneyEvent>, into outline: inout Outline, scratch: inout OutlineScratch)
}

/// Room for what is found on the way to an outline, so that one group after the other is outlined without allocating.
struct OutlineScratch {
  var match = ChainMatch()
  var runs = Array(repeating: PermissionRun(), count: Limits.flowPermissionsMax)
}

extension Outliner {
  /// No duration is longer than the window.
  var emptyTally: Tally { Tally(counterCount: counterCount, durationCount: durationCount, longest: clock.window) }

  /// Counts one group.
  func count(_ journey: Journey, into tally: inout Tally) {
    var outline = Outline()
    var scratch = OutlineScratch()
    self.outline(journey.events, into: &outline, scratch: &scratch)
    // The tally moves into the sink and back: a second copy of it would be a copy of all its counters.
    var sink = JourneySink(journey: journey, question: question, tally: .none)
    swap(&sink.tally, &tally)
    outline.withView { $0.count(by: clock, into: &sink) }
    swap(&sink.tally, &tally)
  }
}

/// Counts one journey into a tally.
private struct JourneySink: OutlineSink {
  let journey: Journey
  let question: SegmentQuestion
  var tally: Tally

  func milliseconds(at event: Int) -> Int64 { journey.events[event].milliseconds }

  mutating func sheet(at event: Int, stepEvents: UnsafeBufferPointer<UInt32>) -> Int? {
    if question.isWhole { return 0 }
    let stepRows = stepEvents.map { $0 == Outline.none ? nil : journey.events[Int($0)].row }
    let segment = question.segment(
      row: journey.events[event].row, milliseconds: journey.events[event].milliseconds, stepRows: stepRows, in: journey.segments
    )
    return segment.map { tally.sheet(of: $0) }
  }

  mutating func add(_ amount: Int, to counter: Int, in sheet: Int) { tally.add(amount, to: counter, in: sheet) }

  mutating func record(_ milliseconds: Int64, of duration: Int, in sheet: Int) {
    tally.record(milliseconds, of: duration, in: sheet)
  }
}
