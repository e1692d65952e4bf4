import FunnelModel
import FunnelProjections
import FunnelReports
import FunnelTestSupport
import Testing

/// Eight installs of the storage cleaner: the edge of the window, a dismissed dialog, an inferred skip, a recovery, a system
/// dialog without a pre-prompt, a group under way. Times are in milliseconds since 2026-11-01T00:00:00Z; now is
/// 2026-11-10T00:00:00Z.
@Suite struct WorkedExampleTests {
  private let cleaner = Sketch(
    "start photos! contacts! push!? allset? completed", window: 604_800_000, now: 777_600_000
  ).groups(
    """
    36000000 start,36002000 photos:prompt,36005000 photos:granted,36006000 contacts:prompt,36010000 contacts:granted,\
    36011000 push:prompt,36013000 push:granted,36014000 allset,36016000 completed
    """,
    "39600000 start,39603000 photos:prompt,39604000 photos:denied,39609000 contacts:prompt,39660000 completed",
    "129600000 start,129601000 photos:prompt",
    """
    118800000 start,118802000 photos:prompt,118803000 photos:denied,201600000 photos:granted,201605000 contacts:prompt,\
    201609000 contacts:limited,201610000 push:prompt,201612000 push:denied,201613000 completed
    """,
    "223200000 start,223201000 photos:granted",
    "640800000 start,640802000 photos:prompt,640804000 photos:limited",
    "0 start,2000 photos:prompt,2000 contacts:prompt,2000 photos:denied,604800000 completed",
    "0 start,2000 photos:prompt,2000 contacts:prompt,2000 photos:denied,604800001 completed")

  @Test func theFunnelIsTheOneWorkedOutByHand() {
    let row = cleaner.funnel
    #expect((row.entered, row.completed, row.inProgress, row.dropped) == (8, 4, 2, 2))
    #expect(row.conversion == Rate(4, of: 8))
    #expect(row.steps.map(\.reached) == [8, 7, 5, 2, 1, 4])
    #expect(row.steps.map(\.fromPrevious) == [1, 0.875, 0.7142857142857143, 0.4, 0.2, 0.8])
    #expect(row.steps.map(\.fromStart) == [1, 0.875, 0.625, 0.25, 0.125, 0.5])
    #expect(row.steps.map(\.dropped) == [0, 1, 1, nil, nil, 0])
    #expect(row.steps.map(\.inProgress) == [1, 1, 0, nil, nil, 0])
    #expect(
      row.steps.map(\.timeFromPrevious) == [
        nil, Quantiles(p50: 2000, p90: 3000, p99: 3000), Quantiles(p50: 4000, p90: 82_803_000, p99: 82_803_000),
        Quantiles(p50: 5000, p90: 5000, p99: 5000), Quantiles(p50: 8000, p90: 8000, p99: 8000),
        Quantiles(p50: 10000, p90: 604_798_000, p99: 604_798_000),
      ])
  }

  @Test func theGrantsAreTheOnesWorkedOutByHand() {
    let rows = cleaner.rows(GrantsProjector.self)
    #expect(rows.map(\.permission) == ["photos", "contacts", "push"])
    #expect(rows.map(\.prompted) == [7, 5, 2])
    #expect(rows.map(\.granted) == [2, 1, 1])
    #expect(rows.map(\.limited) == [1, 1, 0])
    #expect(rows.map(\.denied) == [3, 0, 1])
    #expect(rows.map(\.skipped) == [0, 3, 0])
    #expect(rows.map(\.unanswered) == [1, 0, 0])
    #expect(rows.map(\.inProgress) == [0, 0, 0])
    #expect(rows.map(\.recovered) == [1, 0, 0])
    #expect(rows.map(\.unprimed) == [1, 0, 0])
    #expect(rows.map(\.dialogGrantRate?.denominator) == [6, 2, 2])
    #expect(rows.map(\.decisionTime?.p50) == [1000, 4000, 2000])
    #expect(rows.map(\.decisionTime?.p99) == [3000, 4000, 2000])
  }

  @Test func theDropoffIsTheOneWorkedOutByHand() {
    let row = cleaner.dropoff
    #expect((row.entered, row.dropped) == (8, 2))
    #expect(row.steps.map(\.dropped) == [0, 1, 1])
    #expect(row.steps.map(\.shareOfEntered) == [0, 0.125, 0.125])
    #expect(row.steps.map(\.shareOfReached) == [0, 0.14285714285714285, 0.2])
    #expect(row.steps.map(\.exits) == [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0], [0, 1, 0, 0, 0, 0]])
    #expect(row.steps.map(\.dwell?.p50) == [nil, nil, 0])
  }
}
