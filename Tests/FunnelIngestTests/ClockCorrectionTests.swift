import FunnelDecoding
import FunnelIngest
import FunnelModel
import Testing

/// A device's clock is corrected by the difference between the times of sending and receiving.
@Suite struct ClockCorrectionTests {
  private let twoHoursSlow = [
    "ts": #""2026-11-20T08:00:00Z""#, "sent_at": #""2026-11-20T08:00:05Z""#, "received_at": #""2026-11-20T10:00:05.250Z""#,
  ]

  @Test func `with both times the event moves by their difference, and the device's own time is kept`() {
    let record = Decoded(Line.with(twoHoursSlow)).records[0]
    #expect(record.contains(#""ts":"2026-11-20T10:00:00.250Z""#))
    #expect(
      record.hasSuffix(
        #""sent_at":"2026-11-20T08:00:05.000Z","received_at":"2026-11-20T10:00:05.250Z","device_ts":"2026-11-20T08:00:00.000Z","v":1}"#
      ))
  }

  @Test func `a stored record is not put right a second time`() {
    let record = Decoded(Line.with(twoHoursSlow)).records
    #expect(Decoded(record[0]).records == record)
    #expect(Decoded(record[0], isTrusted: true).records == record)
  }

  @Test func `with one of the two times the event stays where it was`() {
    for missing in ["sent_at", "received_at"] {
      var changes = twoHoursSlow
      changes[missing] = ""
      let record = Decoded(Line.with(changes)).records
      #expect(record[0].contains(#""ts":"2026-11-20T08:00:00.000Z""#), "without \(missing)")
      #expect(Decoded(record[0]).records == record, "without \(missing)")
    }
  }

  @Test func `an event without received_at was received now`() {
    let record = Decoded(Line.with([:])).records[0]
    #expect(record.hasSuffix(#","received_at":"2026-11-21T12:00:00.000Z","v":1}"#))
  }

  @Test func `the time put right is the one that must be in range`() {
    // The device's clock says 1970 or 2030; the event was sent one second later and received today.
    for year in ["1970", "2030"] {
      let changes = [
        "ts": "\"\(year)-01-01T00:00:00Z\"", "sent_at": "\"\(year)-01-01T00:00:01Z\"",
        "received_at": #""2026-11-20T10:00:01Z""#,
      ]
      let decoded = Decoded(Line.with(changes))
      #expect(decoded.outcome == "accepted")
      #expect(decoded.records[0].contains(#""ts":"2026-11-20T10:00:00.000Z""#))
      #expect(decoded.records[0].contains("\"device_ts\":\"\(year)-01-01T00:00:00.000Z\""))
    }
    var wrong = twoHoursSlow
    wrong["received_at"] = #""2026-12-20T10:00:05Z""#
    #expect(Decoded(Line.with(wrong)).letters.first?.reason == .timestampOutOfRange)
    wrong["received_at"] = #""1999-12-20T10:00:05Z""#
    #expect(Decoded(Line.with(wrong)).letters.first?.reason == .timestampOutOfRange)
  }

  @Test func `at the end of all calendars nothing breaks`() {
    let lastDay = Timestamp(rfc3339: "9999-12-31T23:59:59.999Z")!
    let changes = [
      "ts": #""9999-12-31T23:59:59Z""#, "sent_at": #""9999-12-31T00:00:00Z""#, "received_at": #""9999-12-31T12:00:00Z""#,
    ]
    let decoded = Decoded(Line.with(changes), now: lastDay)
    #expect(decoded.outcome == "timestamp_out_of_range: ts is not within the years 0000 to 9999")
  }
}
