import FunnelModel
import FunnelProjections
import FunnelReports
import FunnelTestSupport
import Testing

@Suite struct DropoffProjectorTests {
  @Test func aGroupIsToldByItsLastEventInsideTheWindow() {
    let row = Sketch("a b c", window: 10).groups(
      "0 a, 1 b, 4 -failed, 7 -back", "0 a, 1 b, 4 -failed, 11 -back", "0 a, 2 -denied", "0 a, 1 -skipped, 10 -",
      "0 a, 1 b, 2 c"
    ).dropoff
    #expect((row.entered, row.dropped) == (5, 4))
    #expect(row.steps.map(\.id) == ["a", "b"])
    #expect(row.steps.map(\.dropped) == [2, 2])
    // The exits in order: skipped, denied, failed, back, left, ended.
    #expect(row.steps.map(\.exits) == [[0, 1, 0, 0, 1, 0], [0, 0, 1, 1, 0, 0]])
    #expect(row.steps[0].dwell == Quantiles(p50: 2, p90: 10, p99: 10))
    #expect(row.steps[1].dwell == Quantiles(p50: 3, p90: 6, p99: 6))
    #expect(row.steps.map(\.shareOfEntered) == [0.4, 0.4])
    #expect(row.steps.map(\.shareOfReached) == [0.4, 2.0 / 3])
  }

  @Test func aGroupThatStopsAtTheMatchItselfLeftAtOnce() {
    let row = Sketch("a b").groups("5 a").dropoff
    #expect(row.steps[0].exits == [0, 0, 0, 0, 1, 0])
    #expect(row.steps[0].dwell == nil)
    #expect(Sketch("a b").groups("5 a, 5 -").dropoff.steps[0].dwell == Quantiles(p50: 0, p90: 0, p99: 0))
  }

  @Test func `those who dropped are told by the step they were on last`() {
    let row = Sketch("a invite? b c", window: 10).groups(
      "0 a", "0 a, 1 invite", "0 a, 1 invite, 2 a, 3 -back", "0 a, 1 invite, 2 -", "0 a, 11 invite", "0 a, 1 b, 2 invite",
      "0 a, 1 b, 2 c"
    ).dropoff
    func last(_ step: Int) -> [String] { row.steps[step].lastSteps.map { "\($0.id) \($0.label) \($0.groups)" } }
    #expect(last(0) == ["a A 3", "invite INVITE 2"])
    #expect(last(1) == ["invite INVITE 1"])
  }

  @Test func theLastEventInTheOrderOfTiesCounts() {
    #expect(Sketch("a b").groups("5 a, 7 -back, 7 -failed").dropoff.steps[0].exits == [0, 0, 1, 0, 0, 0])
  }

  @Test func theLastEventIsFoundAmongMany() {
    for deadline in 1...40 as ClosedRange<Int64> {
      let events = (1...60).map { ", \($0) \(Int64($0) == deadline ? "-back" : "-failed")" }.joined()
      let step = Sketch("a b", window: deadline).groups("0 a" + events).dropoff.steps[0]
      #expect(step.exits == [0, 0, 0, 1, 0, 0])
      #expect(step.dwell?.p50 == deadline)
    }
  }

  @Test func groupsInProgressAreNotDropped() {
    let row = Sketch("a b", window: 10, now: 10).groups("0 a", "1 a").dropoff
    #expect((row.entered, row.dropped) == (2, 1))
    #expect(row.steps[0].shareOfReached == 0.5)
  }

  @Test func sharesOfStepsThatNobodyReachedAreNil() {
    let row = Sketch("a b c").groups("0 a").dropoff
    #expect(row.steps[1].shareOfReached == nil)
    #expect(row.steps[1].shareOfEntered == 0)
    #expect(row.steps[1].dwell == nil)
  }

  @Test func inAnyOrderGroupsDropAtTheirLevel() {
    let row = Sketch("a b c", window: 10) { $0.order = .any }.groups("0 c, 2 a, 5 -back").dropoff
    #expect(row.steps.map(\.dropped) == [0, 1])
    #expect(row.steps[1].dwell?.p50 == 3)
  }
}
