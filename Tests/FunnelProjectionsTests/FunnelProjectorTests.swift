import FunnelModel
import FunnelProjections
import FunnelReports
import FunnelTestSupport
import Testing

@Suite struct FunnelProjectorTests {
  /// Returns the `reached` counts of a sketch's steps.
  private func reached(_ sketch: Sketch) -> [Int?] { sketch.funnel.steps.map(\.reached) }

  @Test func stepsAreMatchedInOrderWithOtherEventsBetween() {
    let row = Sketch("a b c").groups("0 a, 1 -, 2 b, 3 a, 4 c", "0 a, 1 c, 2 b", "0 b, 1 a").funnel
    #expect(row.steps.map(\.reached) == [3, 2, 1])
    #expect((row.entered, row.completed, row.dropped, row.inProgress) == (3, 1, 2, 0))
    #expect(row.steps.map(\.dropped) == [1, 1, 0])
    #expect(row.steps.map(\.fromPrevious) == [1, 2.0 / 3, 0.5])
    #expect(row.steps.map(\.fromStart) == [1, 2.0 / 3, 1.0 / 3])
    #expect(row.conversion?.denominator == 3)
    #expect(row.steps.map(\.timeFromPrevious?.p50) == [nil, 2, 2])
    #expect(row.steps.map(\.label) == ["A", "B", "C"])
  }

  @Test func anEventThatEntersTwoStepsIsMatchedOnceInAChain() {
    #expect(reached(Sketch("a b").groups("0 a+b")) == [1, 0])
    #expect(reached(Sketch("a b").groups("0 a+b, 0 a+b")) == [1, 1])
  }

  @Test func theWindowIsInclusiveAndOpensAtTheAnchor() {
    #expect(reached(Sketch("a b c", window: 10).groups("0 a, 5 b, 10 c")) == [1, 1, 1])
    #expect(reached(Sketch("a b c", window: 10).groups("0 a, 5 b, 11 c")) == [1, 1, 0])
    #expect(reached(Sketch("a b", window: 0).groups("7 a, 7 b")) == [1, 1])
  }

  @Test func theQuerysWindowReplacesTheFlows() {
    let row = Sketch("a b", window: 100) { $0.window = TimeSpan(milliseconds: 3) }.groups("0 a, 4 b").funnel
    #expect(row.windowMilliseconds == 3)
    #expect(row.completed == 0)
  }

  @Test func `a group counts from its first anchor, however far later ones come`() {
    let row = Sketch("a b c", window: 10).groups("0 a, 5 b, 20 a, 22 b, 25 c").funnel
    #expect((row.completed, row.dropped) == (0, 1))
    #expect(row.steps.map(\.timeFromPrevious?.p50) == [nil, 5, nil])
  }

  @Test func `the best anchor is the one that comes furthest, and of several the earliest`() {
    func best(_ line: String, now: Int64 = 1_000_000) -> FunnelRow {
      Sketch("a b c", window: 10, now: now) { $0.anchor = .best }.groups(line).funnel
    }
    // The window from 0 contains b, the window from 20 contains b and c.
    #expect(best("0 a, 5 b, 20 a, 22 b, 25 c").steps.map(\.timeFromPrevious?.p50) == [nil, 2, 3])
    #expect(best("0 a, 6 b, 20 a, 22 b").steps[1].timeFromPrevious?.p50 == 6)
    // The window of the earliest anchor therefore decides whether the group is still in progress.
    #expect(best("0 a, 20 a", now: 25).dropped == 1)
  }

  @Test func `a group that began before the period and again in it is told apart, and counts in no other number`() {
    func row(_ lines: String..., set: (inout ReportQuery) -> Void = { _ in }) -> FunnelRow? {
      let sketch = Sketch("a b", window: 10) {
        $0.since = Timestamp(milliseconds: 20)
        set(&$0)
      }
      return lines.reduce(sketch) { $0.groups($1) }.rows(FunnelProjector.self).first
    }
    let returning = "0 a, 25 a, 26 b"
    #expect(row(returning) == nil)
    #expect((row(returning, "21 a")?.entered, row(returning, "21 a")?.returned) == (1, 1))
    // Nobody began again: no first step in the period.
    #expect(row("0 a, 25 b", "21 a")?.returned == 0)
    #expect(row(returning, "21 a") { $0.anchor = .best }?.returned == .some(nil))
    #expect(row(returning, "21 a") { $0.anchor = .best }?.entered == 2)
    #expect(row(returning, "21 a") { $0.conditions = [SegmentCondition("version=1")!] }?.returned == .some(nil))
  }

  @Test func `groups that dropped and entered the last step in another order are told`() {
    let sketch = Sketch("a b c", window: 10)
    #expect(sketch.groups("0 a, 1 c, 2 b", "0 a, 1 b, 2 c", "0 a, 1 b", "0 a, 11 c").funnel.finishedOutOfOrder == 1)
    #expect(Sketch("a b c", window: 10) { $0.order = .any }.groups("0 a, 1 c").funnel.finishedOutOfOrder == 0)
  }

  @Test func anchorsLieInTheTimeRangeAndMatchesMayLieBehindIt() {
    func row(since: Int64?, until: Int64?) -> [FunnelRow] {
      Sketch("a b") {
        $0.since = since.map { Timestamp(milliseconds: $0) }
        $0.until = until.map { Timestamp(milliseconds: $0) }
      }.groups("10 a, 20 b").rows(FunnelProjector.self)
    }
    #expect(row(since: 10, until: 11).map(\.completed) == [1])
    #expect(row(since: 11, until: nil).isEmpty)
    #expect(row(since: nil, until: 10).isEmpty)
  }

  @Test func aGroupIsInProgressWhileItsWindowReachesBeyondNow() {
    let sequences = ["0 a", "1 a", "1 a, 2 b"]
    let row = Sketch("a b", window: 10, now: 10).groups(sequences[0], sequences[1], sequences[2]).funnel
    #expect((row.completed, row.inProgress, row.dropped) == (1, 1, 1))
    #expect(row.steps.map(\.inProgress) == [1, 0])
    #expect(row.steps.map(\.dropped) == [1, 0])
  }

  @Test func inStrictOrderTheNextRequiredStepMustBeTheAwaitedOne() {
    func strict(_ line: String, _ anchor: AnchorRule = .first) -> [Int?] {
      let sketch = Sketch("a b o? c") {
        $0.order = .strict
        $0.anchor = anchor
      }
      return reached(sketch.groups(line))
    }
    #expect(strict("0 a, 1 -, 2 o, 3 b, 4 o, 5 c") == [1, 1, 1, 1])
    #expect(strict("0 a, 1 c, 2 b, 3 c") == [1, 0, 0, 0])
    // The second a is a required step that is not awaited; only from the best anchor does the chain go on.
    #expect(strict("0 a, 1 a, 2 b, 3 c") == [1, 0, 0, 0])
    #expect(strict("0 a, 1 a, 2 b, 3 c", .best) == [1, 1, 0, 1])
    #expect(strict("0 a, 1 a+b, 2 c") == [1, 1, 0, 1])
  }

  @Test func inAnyOrderALevelIsTheNumberOfDifferentSteps() {
    let row = Sketch("a b o? c") { $0.order = .any }.groups("0 c, 4 b, 4 c, 9 a", "0 b, 1 b", "0 o").funnel
    #expect(row.entered == 2)
    #expect(row.completed == 1)
    #expect(row.steps.map(\.reached) == [2, 1, nil, 1])
    #expect(row.steps.map(\.dropped) == [1, 0, nil, 0])
    #expect(row.steps[1].timeFromPrevious?.p50 == 4)
    #expect(row.steps[3].timeFromPrevious?.p50 == 5)
    #expect(row.steps[2] == FunnelStepRow(id: "o", label: "O", isOptional: true))
  }

  @Test func inAnyOrderAnEventCountsForEachStepItEnters() {
    let row = Sketch("a b c") { $0.order = .any }.groups("0 b+c, 3 a").funnel
    #expect(row.steps.map(\.reached) == [1, 1, 1])
    #expect(row.steps.map(\.timeFromPrevious?.p50) == [nil, 0, 3])
  }

  @Test func `in any order the window of the best anchor slides from anchor to anchor`() {
    let sketch = Sketch("a b c", window: 10) {
      $0.order = .any
      $0.anchor = .best
    }
    let row = sketch.groups("0 a, 8 a, 15 b, 18 c, 30 a").funnel
    #expect(row.completed == 1)
    #expect(row.steps.map(\.timeFromPrevious?.p50) == [nil, 7, 3])
  }

  @Test func anOptionalStepInFrontOfTheLastRequiredOneIsReachedAfterItToo() {
    func optional(_ line: String) -> FunnelStepRow { Sketch("a o? b", window: 10).groups(line).funnel.steps[1] }
    #expect(optional("0 a, 5 b, 6 o").reached == 1)
    #expect(optional("0 a, 5 b, 6 o").timeFromPrevious?.p50 == 6)
    #expect(optional("0 a, 5 b, 11 o").reached == 0)
  }

  @Test func `closed groups are those whose window has closed, completed or not`() {
    let row = Sketch("a b", window: 10, now: 15).groups("0 a, 1 b", "5 a", "6 a, 7 b", "6 a").funnel
    #expect((row.entered, row.completed, row.inProgress, row.dropped) == (4, 2, 1, 1))
    #expect((row.closed.entered, row.closed.completed, row.closed.conversion?.value) == (2, 1, 0.5))
    let mature = Sketch("a b", window: 10, now: 15) { $0.isMature = true }.groups("0 a, 1 b", "5 a", "6 a, 7 b", "6 a").funnel
    #expect((mature.entered, mature.completed, mature.inProgress, mature.dropped) == (2, 1, 0, 1))
    #expect(mature.closed.entered == 2)
  }

  @Test func `a group that an outcome has ended is not under way`() {
    var sketch = Sketch("a b", window: 10, now: 5)
    sketch.flow.outcomes = [.init(name: "failed", label: "Failed", isSuccess: false)]
    let groups = sketch.groups("0 a, 1 -ended", "0 a, 1 -", "0 -ended, 1 a")
    #expect((groups.funnel.dropped, groups.funnel.inProgress) == (1, 2))
    #expect((groups.dropoff.dropped, groups.dropoff.steps[0].exits) == (1, [0, 0, 0, 0, 0, 1]))
    #expect(groups.dropoff.steps[0].dwell?.p50 == 1)
  }

  @Test func anOptionalStepIsReachedBetweenTheMatchesAroundIt() {
    func optional(_ line: String) -> FunnelStepRow { Sketch("a o? b c", window: 10).groups(line).funnel.steps[1] }
    #expect(optional("0 a, 3 o, 5 b").reached == 1)
    #expect(optional("0 a, 3 o, 5 b").timeFromPrevious?.p50 == 3)
    #expect(optional("0 a, 5 b, 6 o").reached == 0)
    #expect(optional("0 a, 5 b+o").reached == 1)
    #expect(optional("0 a+o, 5 b").reached == 0)
    // Without a match of the next required step, only the window limits it.
    #expect(optional("0 a, 10 o").reached == 1)
    #expect(optional("0 a, 11 o").reached == 0)
  }

  @Test func anOptionalStepNeedsTheRequiredStepBeforeIt() {
    let row = Sketch("z? a b o? p?", window: 10).groups("0 z, 1 a, 2 o", "0 a, 1 b, 5 p, 9 o").funnel
    // No required step precedes z: any entry up to the anchor reaches it, and there is no match from which to measure its time.
    #expect(row.steps.map(\.reached) == [1, 2, 1, 1, 1])
    #expect(row.steps.map(\.fromPrevious) == [0.5, 1, 0.5, 1, 1])
    #expect(row.steps.map(\.fromStart) == [0.5, 1, 0.5, 0.5, 0.5])
    #expect(row.steps.map(\.dropped) == [nil, 1, 0, nil, nil])
    #expect(row.steps[0].timeFromPrevious == nil)
  }

  @Test func theLastRequiredStepLosesNobodyAndSharesOfNobodyAreNil() {
    let row = Sketch("a b c d").groups("0 a").funnel
    #expect(row.steps.map(\.reached) == [1, 0, 0, 0])
    #expect(row.steps.map(\.fromPrevious) == [1, 0, nil, nil])
    #expect(row.steps[3].dropped == 0)
    #expect(row.steps[3].inProgress == 0)
  }

  @Test func aFlowOfOneStepIsCompletedByEnteringIt() {
    for order in StepOrder.allCases {
      let sketch = Sketch("a") { $0.order = order }.groups("0 a, 1 a")
      #expect(sketch.funnel.completed == 1)
      #expect(sketch.dropoff.steps.isEmpty)
    }
  }

  @Test func groupsFallIntoTheSegmentOfTheirAnchor() {
    let rows = Sketch("a b", window: 10) { $0.by = [.context("variant")] }
      .groups("0 a@A, 1 b@B", "0 a@B", "0 a@B, 20 a@C, 21 b@B", "0 a", "0 a@A").rows(FunnelProjector.self)
    // Segments are sorted by size, then by value, with null last.
    #expect(rows.map(\.key.segment) == [[.string("A")], [.string("B")], [.null]])
    #expect(rows.map(\.entered) == [2, 2, 1])
    #expect(rows.map(\.completed) == [1, 0, 0])
  }

  @Test func conditionsHoldAtTheAnchorThatCounts() {
    func entered(_ condition: String, _ anchor: AnchorRule) -> [Int] {
      let sketch = Sketch("a b", window: 10) {
        $0.conditions = [condition].compactMap { SegmentCondition($0) }
        $0.anchor = anchor
      }
      return sketch.groups("0 a@A, 20 a@B, 21 b@A", "0 a@A").rows(FunnelProjector.self).map(\.entered)
    }
    #expect(entered("ctx.variant=A", .first) == [2])
    #expect(entered("ctx.variant!=A", .first).isEmpty)
    #expect(entered("ctx.variant=A", .best) == [1])
    #expect(entered("ctx.variant!=A", .best) == [1])
    #expect(entered("ctx.variant=C", .first).isEmpty)
  }

  @Test func aFlowWithoutEnteredGroupsHasNoRows() {
    let sketch = Sketch("a b").groups("0 b", "0 -")
    #expect(sketch.rows(FunnelProjector.self).isEmpty)
    #expect(sketch.rows(DropoffProjector.self).isEmpty)
  }
}
