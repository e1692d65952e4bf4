import FunnelHistories
import FunnelModel

/// A projector that counts a group in two steps: from events to an outline, and from the outline to a tally.
protocol Outliner: Sendable {
  var question: SegmentQuestion { get }
  var clock: WindowClock { get }
  /// The number of counters of a sheet.
  var counterCount: Int { get }
  var durationCount: Int { get }

  /// Adds the counts of a group to an outline.
  func outline(_ events: UnsafeBufferPointer<JourneyEvent>, into outline: inout Outline, scratch: inout OutlineScratch)
}

/// Scratch space for outlining, reused so that each further group is outlined without allocating.
struct OutlineScratch {
  var match = ChainMatch()
  var runs = Array(repeating: PermissionRun(), count: Limits.flowPermissionsMax)
}

extension Outliner {
  /// A tally without counts. No duration is longer than the window.
  var emptyTally: Tally { Tally(counterCount: counterCount, durationCount: durationCount, longest: clock.window) }

  /// Counts one group.
  func count(_ journey: Journey, into tally: inout Tally) {
    var outline = Outline()
    var scratch = OutlineScratch()
    self.outline(journey.events, into: &outline, scratch: &scratch)
    // Swaps the tally into the sink and back; with a second reference to it, the first change would copy all counters.
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
