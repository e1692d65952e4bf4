import FunnelJourneys
import FunnelModel
import FunnelProjections
import FunnelTestSupport
import Testing

@Suite struct SegmentTests {
  private func rows(_ sketch: Sketch, _ journeys: [StoredJourney]) -> [FunnelRow] {
    let projector = FunnelProjector(flow: sketch.flow, query: sketch.query)
    var state = projector.emptyState
    for journey in journeys { journey.withJourney { projector.fold($0, into: &state) } }
    return projector.rows(from: state)
  }

  private func enters(at milliseconds: Int64, row: UInt32 = 0) -> JourneyEvent {
    JourneyEvent(
      milliseconds: milliseconds, kind: EventKind(stepMask: 1, permission: 255, action: .other, exit: .left), row: row)
  }

  @Test func rowsOfDifferentTablesAreNotMistakenForEachOther() {
    let variant = Dimension.context("variant")
    let journeys = ["A", "B", "A", "C", "B", "A"].map { name in
      var table = SegmentTable(dimensions: [variant])
      return StoredJourney(events: [enters(at: 0, row: table.append([.string(name)]))], segments: table)
    }
    let rows = rows(Sketch("a") { $0.by = [variant] }, journeys)
    #expect(rows.map(\.key.segment) == [[.string("A")], [.string("B")], [.string("C")]])
    #expect(rows.map(\.entered) == [3, 2, 1])
  }

  @Test func daysBeginWhereTheTimeZoneSays() {
    // Two hours ahead of UTC until noon of 1970-01-02, then one hour.
    let day = Timestamp.millisecondsPerDay
    let zone = TimeZoneRules(
      name: "Test/Zone",
      transitions: [
        TimeZoneRules.Transition(startMilliseconds: .min, offsetMilliseconds: 7_200_000),
        TimeZoneRules.Transition(startMilliseconds: day * 3 / 2, offsetMilliseconds: 3_600_000),
      ])
    let sketch = Sketch("a", now: .max) {
      $0.by = [.day]
      $0.timeZone = zone
    }
    let times: [Int64] = [0, 22 * 3_600_000 - 1, 22 * 3_600_000, day, 2 * day - 3_600_001, 2 * day - 3_600_000]
    let rows = rows(sketch, times.map { StoredJourney(events: [enters(at: $0)]) })
    #expect(rows.map(\.key.segment) == [[.string("1970-01-02")], [.string("1970-01-01")], [.string("1970-01-03")]])
    #expect(rows.map(\.entered) == [3, 2, 1])
  }

  @Test func numbersOfOneValueAreOrderedWhateverTheOrderOfFolding() {
    let variant = Dimension.context("variant")
    var table = SegmentTable(dimensions: [variant])
    let events = [PropertyValue.double(3), .integer(3), .string("3")].map { enters(at: 0, row: table.append([$0])) }
    let journeys = events.map { StoredJourney(events: [$0], segments: table) }
    let sketch = Sketch("a") { $0.by = [variant] }
    #expect(rows(sketch, journeys).map(\.key.segment) == [[.integer(3)], [.double(3)], [.string("3")]])
    #expect(rows(sketch, journeys) == rows(sketch, journeys.reversed()))
  }
}
