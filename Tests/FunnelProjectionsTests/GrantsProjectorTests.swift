@testable import FunnelModel
import FunnelProjections
import FunnelReports
import FunnelTestSupport
import Testing

@Suite struct GrantsProjectorTests {
  private func photos(_ lines: String..., window: Int64 = 10, now: Int64 = 1000, change: (inout ReportQuery) -> Void = { _ in })
    -> GrantRow?
  {
    lines.reduce(Sketch("a photos! s[x,y,z] end", window: window, now: now, change)) { $0.groups($1) }.grant("photos")
  }

  @Test func theLastDecisionInTheWindowIsTheOutcome() throws {
    let row = try #require(
      photos(
        "0 photos:prompt, 1 photos:denied, 10 photos:granted", "0 photos:prompt, 1 photos:denied, 11 photos:granted",
        "0 photos:prompt, 3 photos:limited", "0 photos:prompt, 4 photos:granted, 5 photos:skipped"))
    #expect((row.prompted, row.granted, row.denied, row.limited, row.skipped) == (4, 1, 1, 1, 1))
    #expect(row.recovered == 1)
    // The decision time is that of the first decision.
    #expect(row.decisionTime == Quantiles(p50: 1, p90: 4, p99: 4))
  }

  @Test func onlyARefusalThatEndsInAccessIsRecovered() throws {
    let row = try #require(
      photos(
        "0 photos:prompt, 1 photos:skipped, 2 photos:granted", "0 photos:prompt, 1 photos:limited, 2 photos:granted",
        "0 photos:prompt, 1 photos:denied, 2 photos:limited", "0 photos:prompt, 1 end, 2 photos:granted"))
    #expect(row.recovered == 2)
    #expect(row.granted == 3)
  }

  @Test func decisionsBeforeThePrePromptDoNotCount() throws {
    let row = try #require(photos("0 photos:denied, 0 photos:prompt, 20 end"))
    #expect(row.unanswered == 1)
    #expect(row.unprimed == 1)
    #expect(row.decisionTime == nil)
  }

  @Test func `the first pre-prompt of all counts, in the time range that it is in`() throws {
    let asked = "0 photos:prompt, 1 photos:denied, 5 photos:prompt, 7 photos:granted, 8 photos:prompt"
    #expect(photos(asked) { $0.since = Timestamp(milliseconds: 2) } == nil)
    let row = try #require(photos(asked) { $0.until = Timestamp(milliseconds: 2) })
    #expect((row.prompted, row.granted, row.denied, row.recovered) == (1, 1, 0, 1))
    #expect(row.decisionTime?.p50 == 1)
    #expect(photos("5 photos:prompt") { $0.until = Timestamp(milliseconds: 5) } == nil)
  }

  @Test func `only the first answer of a dialog makes a group unprimed, in the time range that it is in`() throws {
    let answered = "0 photos:denied, 5 photos:granted"
    #expect(photos(answered) { $0.since = Timestamp(milliseconds: 2) } == nil)
    #expect(try #require(photos(answered) { $0.until = Timestamp(milliseconds: 2) }).unprimed == 1)
    #expect(photos("0 photos:provisional, 1 photos:skipped") == nil)
  }

  @Test func `a provisional answer gives access, grants nothing, and is no answer to a dialog`() throws {
    let row = try #require(
      photos(
        "0 photos:prompt, 1 photos:provisional", "0 photos:prompt, 1 photos:skipped, 2 photos:provisional",
        "0 photos:prompt, 1 photos:provisional, 2 photos:granted", "0 photos:prompt, 1 photos:denied"))
    #expect((row.prompted, row.granted, row.provisional, row.denied, row.recovered) == (4, 1, 2, 1, 0))
    #expect((row.grantRate?.value, row.accessRate?.value, row.dialogGrantRate?.value) == (0.25, 0.75, 0.5))
  }

  @Test func goingOnWithoutADecisionIsASkip() throws {
    let row = try #require(photos("0 photos:prompt, 10 end", "0 photos:prompt, 11 end", "0 end, 0 photos:prompt, 1 a, 2 -"))
    #expect((row.skipped, row.unanswered) == (1, 2))
    #expect(row.decisionTime == nil)
  }

  @Test func `going on after asking for the dialog is putting it away, which is a denial`() throws {
    let row = try #require(
      photos(
        "0 photos:prompt, 1 photos:tapped, 2 end", "0 photos:prompt, 1 end, 2 photos:tapped",
        "0 photos:tapped, 1 photos:prompt, 2 end",
        "0 photos:prompt, 1 end, 11 photos:tapped", "0 photos:prompt, 1 photos:tapped"))
    #expect((row.denied, row.skipped, row.unanswered) == (2, 2, 1))
    #expect(row.decisionTime == nil)
    #expect(row.unprimed == 0)
  }

  @Test func `entering a screen may be the pre-prompt of what it asks for`() throws {
    let sketch = Sketch("a s[x*,y*,z] end", window: 10).groups(
      "0 a, 1 s, 2 x:granted, 3 y:granted", "0 s, 1 x:tapped, 2 z:prompt", "5 x:granted, 6 s", "0 s, 2 x:prompt, 3 x:denied")
    let x = try #require(sketch.grant("x"))
    #expect((x.prompted, x.granted, x.denied, x.unanswered, x.unprimed) == (4, 1, 2, 1, 1))
    #expect(x.decisionTime == Quantiles(p50: 1, p90: 3, p99: 3))
    let y = try #require(sketch.grant("y"))
    #expect((y.prompted, y.granted, y.skipped, y.unanswered) == (4, 1, 1, 2))
  }

  @Test func `closed groups have grants of their own, and alone count where only they are asked for`() throws {
    let lines = [
      "0 photos:prompt, 1 photos:granted", "1 photos:prompt, 2 photos:granted", "0 photos:prompt", "9 photos:denied",
    ]
    func row(_ change: (inout ReportQuery) -> Void = { _ in }) throws -> GrantRow {
      try #require(lines.reduce(Sketch("photos! end", window: 10, now: 10, change)) { $0.groups($1) }.grant("photos"))
    }
    let all = try row()
    #expect((all.prompted, all.closed.prompted, all.closed.granted, all.closed.grantRate?.value) == (3, 2, 1, 0.5))
    #expect(all.unprimed == 1)
    let mature = try row { $0.isMature = true }
    #expect((mature.prompted, mature.granted, mature.closed.prompted, mature.unprimed) == (2, 1, 2, nil))
  }

  @Test func thePrePromptOfAPermissionFurtherOnInTheSameScreenIsGoingOn() {
    let sketch = Sketch("s[x,y,z] end", window: 10).groups("0 x:prompt, 1 y:prompt, 2 x:prompt, 3 y:granted, 4 z:prompt")
    #expect(sketch.grant("x")?.skipped == 1)
    #expect(sketch.grant("y")?.granted == 1)
    #expect(sketch.grant("z")?.unanswered == 1)
    #expect(Sketch("s[x,y]").groups("0 y:prompt, 1 x:prompt").grant("y")?.unanswered == 1)
    // The permission of a permission step precedes those that the step asks for.
    #expect(Sketch("photos![x]").groups("0 photos:prompt, 1 x:prompt").grant("photos")?.skipped == 1)
  }

  @Test func anOpenWindowWithoutDecisionIsInProgress() throws {
    let row = try #require(
      photos("0 photos:prompt", "1 photos:prompt", "2 photos:prompt, 3 photos:denied", window: 10, now: 10))
    #expect((row.inProgress, row.unanswered, row.denied) == (1, 1, 1))
  }

  @Test func ratesHaveTheirOwnDenominators() throws {
    let row = try #require(
      photos(
        "0 photos:prompt, 1 photos:granted", "0 photos:prompt, 1 photos:limited", "0 photos:prompt, 1 photos:denied",
        "0 photos:prompt"))
    #expect(row.grantRate?.value == 0.25)
    #expect(row.accessRate?.value == 0.5)
    #expect(row.dialogGrantRate?.value == 1.0 / 3)
    #expect(try #require(photos("0 photos:prompt")).dialogGrantRate == nil)
  }

  @Test func systemDialogsWithoutPrePromptAreUnprimed() throws {
    let row = try #require(
      photos("0 photos:granted, 1 photos:denied", "0 photos:skipped, 1 photos:prompt", "0 photos:prompt, 1 photos:limited"))
    #expect((row.unprimed, row.prompted) == (1, 2))
    let alone = try #require(photos("0 photos:limited"))
    #expect((alone.prompted, alone.unprimed, alone.grantRate) == (0, 1, nil))
    #expect(photos("0 photos:skipped") == nil)
  }

  @Test func aPrePromptOutsideTheTimeRangeStillPrimes() {
    #expect(photos("0 photos:prompt, 5 photos:granted") { $0.since = Timestamp(milliseconds: 3) } == nil)
    #expect(photos("5 photos:granted") { $0.since = Timestamp(milliseconds: 6) } == nil)
    #expect(photos("5 photos:granted") { $0.since = Timestamp(milliseconds: 5) }?.unprimed == 1)
  }

  @Test func segmentsAreThoseOfThePrePromptAndHaveNoUnprimed() {
    let rows = Sketch("photos! x!") { $0.by = [.context("variant")] }
      .groups(
        "0 photos:prompt@B, 1 photos:granted@A", "0 photos:prompt@A", "0 photos:prompt@B, 1 x:prompt@A", "0 photos:granted"
      )
      .rows(GrantsProjector.self)
    #expect(rows.map(\.permission) == ["photos", "photos", "x"])
    #expect(rows.map(\.key.segment) == [[.string("B")], [.string("A")], [.string("A")]])
    #expect(rows.map(\.prompted) == [2, 1, 1])
    #expect(rows.map(\.unprimed) == [nil, nil, nil])
    let filtered = photos("0 photos:prompt@A", "0 photos:prompt@B, 1 photos:granted@A") {
      $0.conditions = ["ctx.variant=B"].compactMap { SegmentCondition($0) }
    }
    #expect(filtered?.granted == 1)
    #expect(filtered?.unprimed == nil)
  }

  @Test func aPermissionWhoseAnswerIsNotDisclosedCarriesTheFlowsNote() {
    var sketch = Sketch("s[x,y]")
    sketch.flow.rules = [.grantUndisclosed(.init(permission: "y", note: "asked"))]
    let rows = sketch.groups("0 x:prompt, 1 y:prompt").rows(GrantsProjector.self)
    #expect(rows.map(\.note) == [nil, "asked"])
  }
}
