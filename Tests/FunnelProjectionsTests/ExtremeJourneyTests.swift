import FunnelSequences
import FunnelModel
import FunnelProjections
import FunnelReports
import FunnelTestSupport
import Testing

@Suite struct ExtremeJourneyTests {
  private func events(_ list: [(Int64, UInt64)]) -> StoredSequence {
    StoredSequence(
      events: list.map {
        TimedEvent(milliseconds: $0.0, kind: EventClass(stepMask: $0.1))
      })
  }

  private func report(_ sketch: Sketch, _ sequence: StoredSequence) -> FlowReport {
    FlowReport(of: [sequence], flow: sketch.flow, query: sketch.query)
  }

  @Test(arguments: StepOrder.allCases) func timesAtTheEndsOfTheScaleDoNotTrap(order: StepOrder) {
    for window in [0, 315_360_000_000, Int64.max] {
      for now in [Int64.min, 0, .max] {
        for (since, until) in [(nil, nil), (Int64.min, Int64.min), (.max, .min), (.min, .max)] as [(Int64?, Int64?)] {
          let sketch = Sketch("a b? c", window: window, now: now) {
            $0.order = order
            $0.since = since.map { Timestamp(milliseconds: $0) }
            $0.until = until.map { Timestamp(milliseconds: $0) }
          }
          let report = report(
            sketch, events([(.min, 1), (.min, 2), (.min + 1, 1), (0, 1), (.max - 1, 4), (.max, 1), (.max, 4)]))
          #expect(report.funnel?.isEmpty == (until == .min))
        }
      }
    }
  }

  @Test func aWindowBeyondTheEndOfTimeIsOpen() {
    let sketch = Sketch("a b", window: 10, now: .max)
    #expect(report(sketch, events([(.max - 5, 1)])).funnel?[0].inProgress == 1)
    #expect(report(sketch, events([(.max - 11, 1)])).funnel?[0].dropped == 1)
  }

  @Test func sixtyFourStepsAreMatched() {
    let names = (0..<64).map { "s\($0)" }.joined(separator: " ")
    for order in StepOrder.allCases {
      let row = report(Sketch(names) { $0.order = order }, events((0..<64).map { (Int64($0), 1 << UInt64($0)) })).funnel?[0]
      #expect(row?.completed == 1)
      #expect(row?.steps[63].timeFromPrevious?.p50 == 1)
    }
  }

  @Test(arguments: StepOrder.allCases) func anchorsWithoutEndTakeLinearTime(order: StepOrder) {
    let growth = ComputingTime.growth(from: 20_000) { count in
      // Each window covers a fifth of the events, and no anchor ever completes.
      let list = (0..<Int64(count)).map { ($0, $0 % 1000 == 999 ? 2 as UInt64 : 1) }
      let sketch = Sketch("a b c", window: Int64(count / 5), now: Int64(count * 2)) {
        $0.order = order
        $0.anchor = .best
      }
      let row = report(sketch, events(list)).funnel?[0]
      #expect(row?.entered == 1)
      #expect(row?.steps.map(\.reached) == [1, 1, 0])
    }
    #expect(growth < 24)
  }

  /// Tests the measure itself.
  @Test func whatTakesQuadraticTimeIsNoticed() {
    var sum = 0
    let growth = ComputingTime.growth(from: 300) { count in
      for first in 0..<count { for second in 0..<count { sum &+= first ^ second } }
    }
    #expect(growth > 24, "\(sum)")
  }
}
