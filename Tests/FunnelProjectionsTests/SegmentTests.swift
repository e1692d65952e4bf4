import FunnelSequences
import FunnelIndex
import FunnelModel
import FunnelProjections
import FunnelReports
import FunnelTestSupport
import Testing

@Suite struct SegmentTests {
  private func rows(_ sketch: Sketch, _ sequences: [StoredSequence]) -> [FunnelRow] {
    sequences.rows(FunnelProjector.self, flow: sketch.flow, query: sketch.query)
  }

  private func enters(at milliseconds: Int64, row: UInt32 = 0) -> TimedEvent {
    TimedEvent(
      milliseconds: milliseconds, kind: EventClass(stepMask: 1), row: row)
  }

  @Test func rowsOfDifferentTablesAreNotMistakenForEachOther() {
    let variant = Dimension.context("variant")
    let sequences = ["A", "B", "A", "C", "B", "A"].map { name in
      var table = SegmentTable(dimensions: [variant])
      return StoredSequence(events: [enters(at: 0, row: table.append([.string(name)]))], segments: table)
    }
    let rows = rows(Sketch("a") { $0.by = [variant] }, sequences)
    #expect(rows.map(\.key.segment) == [[.string("A")], [.string("B")], [.string("C")]])
    #expect(rows.map(\.entered) == [3, 2, 1])
  }

  @Test func daysBeginWhereTheTimeZoneSays() {
    // The zone is two hours ahead of UTC until noon of 1970-01-02, then one hour.
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
    let rows = rows(sketch, times.map { StoredSequence(events: [enters(at: $0)]) })
    #expect(rows.map(\.key.segment) == [[.string("1970-01-01")], [.string("1970-01-02")], [.string("1970-01-03")]])
    #expect(rows.map(\.entered) == [2, 3, 1])
  }

  @Test func `time and versions ascend, whatever the size of their segments`() {
    let (variant, version) = (Dimension.context("variant"), Dimension.context("app_version"))
    var table = SegmentTable(dimensions: [variant, version])
    let values: [(String, PropertyValue)] = [
      ("A", .string("5.10")), ("A", .string("5.9")), ("A", .string("5.9")), ("B", .string("5.9")), ("B", .string("5.10")),
      ("B", .string("5.10")), ("B", .string("5.10-beta")), ("A", .null), ("A", .string("dev")), ("A", .double(5.9)),
    ]
    let sequences = values.map { values in
      StoredSequence(events: [enters(at: 0, row: table.append([.string(values.0), values.1]))])
    }.map { StoredSequence(events: $0.events, segments: table) }
    let sketch = Sketch("a") { $0.by = [variant, version] }
    #expect(
      rows(sketch, sequences).map { $0.key.segment.map(\.description).joined(separator: " ") } == [
        "A 5.9", "B 5.9", "B 5.10-beta", "B 5.10", "A 5.10", "A dev", "A null",
      ])
    #expect(rows(sketch, sequences).map(\.entered) == [3, 1, 1, 2, 1, 1, 1])
    #expect(rows(sketch, sequences) == rows(sketch, sequences.reversed()))
  }

  @Test func `a value may be that of the event that matched a step`() {
    let sketch = Sketch("a o? b c", window: 10) {
      $0.by = [.step(id: "b", .context("variant")), .step(id: "o", .context("variant"))]
    }
    let rows = sketch.groups(
      "0 a@A, 1 b@B, 2 b@A", "0 a@B, 1 o@A, 2 b@B", "0 a@A, 1 o@B", "0 a@A, 20 b@B", "0 a@A, 1 b@B, 2 c@A"
    ).rows(FunnelProjector.self)
    #expect(
      rows.map(\.key.segment) == [
        [.string("B"), .null], [.string("B"), .string("A")], [.null, .string("B")], [.null, .null],
      ])
    #expect(rows.map(\.entered) == [2, 1, 1, 1])
  }

  @Test func `grants take the values of steps from the group's chain`() {
    let sketch = Sketch("a photos! b", window: 10) { $0.by = [.step(id: "b", .context("variant"))] }
    let rows = sketch.groups("0 a, 1 photos:prompt@A, 2 b@B", "0 a, 1 photos:prompt@A", "0 photos:prompt@A").rows(
      GrantsProjector.self)
    #expect(rows.map(\.key.segment) == [[.null], [.string("B")]])
    #expect(rows.map(\.prompted) == [2, 1])
  }

  @Test func `a number is one segment, whatever its type, and texts come after numbers, true and false among them`() {
    let variant = Dimension.context("variant")
    var table = SegmentTable(dimensions: [variant])
    let events = [
      PropertyValue.double(3), .integer(3), .string("3.0"), .integer(20), .string("u"), .bool(true), .string("true"),
      .string("a"),
      .null,
    ].map { enters(at: 0, row: table.append([$0])) }
    let sequences = events.map { StoredSequence(events: [$0], segments: table) }
    let sketch = Sketch("a") { $0.by = [variant] }
    #expect(
      rows(sketch, sequences).map(\.key.segment) == [
        [.integer(3)], [.bool(true)], [.integer(20)], [.string("a")], [.string("u")], [.null],
      ])
    #expect(rows(sketch, sequences) == rows(sketch, sequences.reversed()))
  }
}
