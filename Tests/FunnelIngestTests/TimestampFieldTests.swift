import FunnelDecoding
import FunnelIngest
import FunnelModel
import Testing

/// The forms that `ts` may have, and the range of times it may be in.
@Suite struct TimestampFieldTests {
  @Test(arguments: [
    (#""2026-11-20T10:15:30Z""#, "2026-11-20T10:15:30.000Z"),
    (#""2026-11-20t10:15:30z""#, "2026-11-20T10:15:30.000Z"),
    (#""2026-11-20 10:15:30Z""#, "2026-11-20T10:15:30.000Z"),
    (#""2026-11-20T10:15:30.1Z""#, "2026-11-20T10:15:30.100Z"),
    (#""2026-11-20T10:15:30.1239Z""#, "2026-11-20T10:15:30.123Z"),
    (#""2026-11-20T10:15:30.999999999999999999999999Z""#, "2026-11-20T10:15:30.999Z"),
    (#""2026-11-20T10:15:30.0009Z""#, "2026-11-20T10:15:30.000Z"),
    (#""2026-11-20T10:15:30+01:00""#, "2026-11-20T09:15:30.000Z"),
    (#""2026-11-20T00:15:30.5+05:45""#, "2026-11-19T18:30:30.500Z"),
    (#""2026-11-20T23:15:30-09:30""#, "2026-11-21T08:45:30.000Z"),
    (#""2026-11-20T10:15:30-00:00""#, "2026-11-20T10:15:30.000Z"),
    (#""2016-12-31T23:59:60Z""#, "2017-01-01T00:00:00.000Z"),
    (#""2024-02-29T00:00:00Z""#, "2024-02-29T00:00:00.000Z"),
    ("1795169730123", "2026-11-20T10:15:30.123Z"),
    ("1795169730123.0", "2026-11-20T10:15:30.123Z"),
    ("1.795169730123e12", "2026-11-20T10:15:30.123Z"),
    (#""2007-01-01T00:00:00Z""#, "2007-01-01T00:00:00.000Z"),
    ("1167609600000", "2007-01-01T00:00:00.000Z"),
    (#""2026-11-22T12:00:00Z""#, "2026-11-22T12:00:00.000Z"),
    (#""2026-11-22T12:00:00.0009Z""#, "2026-11-22T12:00:00.000Z"),
  ])
  func `a time is read in every form RFC 3339 allows, and stored in one`(value: String, stored: String) {
    let decoded = Decoded(Line.with(["ts": value]))
    #expect(decoded.outcome == "accepted")
    #expect(decoded.records.first?.contains("\"ts\":\"\(stored)\"") == true, "\(decoded.records)")
  }

  @Test(arguments: [
    "2026-11-20T10:15:30", "2026-11-20T10:15Z", "2026-11-20T10:15:30.Z", "2026-11-20T10:15:30+0100",
    "2026-11-20T10:15:30+24:00",
    "2026-11-20T10:15:30+01:60", "2026-11-20T24:00:00Z", "2026-11-20T10:60:00Z", "2026-11-20T10:15:61Z", "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-11-00T00:00:00Z", "2026-11-20T10:15:30Z ", " 2026-11-20T10:15:30Z",
    "20261120T101530Z", "1795169730123", "", "2026-11-20T10:15:30ZZ", "2026-11-20T10:15:30.123", "+2026-11-20T10:15:30Z",
    "2026-11-20T10:15:30,5Z", "２026-11-20T10:15:30Z",
  ])
  func `a time in any other form is refused`(text: String) {
    #expect(
      Decoded(Line.with(["ts": "\"\(text)\""])).outcome
        == "invalid_field: ts is not an RFC 3339 date and time with an offset, such as 2026-11-20T10:15:30.123Z")
  }

  @Test(arguments: ["null", "true", "1.5", "{}", "[]", "-0.5"])
  func `a time is no other kind of value`(value: String) {
    #expect(Decoded(Line.with(["ts": value])).letters.first?.reason == .invalidField)
  }

  @Test(arguments: [
    "1167609599999", #""2006-12-31T23:59:59.999Z""#, #""2007-01-01T00:59:59+01:00""#, "0", "-1", #""0000-01-01T00:00:00Z""#,
    #""2026-11-22T12:00:00.001Z""#, #""9999-12-31T23:59:59Z""#, "253402300800000", "9223372036854775807", "9223372036854775808",
    "18446744073709551615", "18446744073709551616", "-9223372036854775809", "1000000000000000000000000000000", "-1e300",
  ])
  func `a time before 2007 or more than 24 hours ahead is out of range, however large the number`(value: String) {
    #expect(Decoded(Line.with(["ts": value])).letters.first?.reason == .timestampOutOfRange)
  }

  @Test func `the clock decides what is too far ahead`() {
    let line = Line.with(["ts": #""2026-12-01T00:00:00Z""#])
    #expect(Decoded(line).letters.first?.reason == .timestampOutOfRange)
    #expect(Decoded(line, now: Timestamp(rfc3339: "2026-11-30T00:00:00Z")!).outcome == "accepted")
    #expect(Decoded(line, now: Timestamp(rfc3339: "2026-11-29T23:59:59.999Z")!).letters.first?.reason == .timestampOutOfRange)
  }

  @Test(arguments: ["sent_at", "received_at", "device_ts"])
  func `a leap second that would end in the year 10000 is refused in every field`(field: String) {
    let text = #""9999-12-31T23:59:60.999Z""#
    let refused = "invalid_field: \(field) is not within the years 0000 to 9999"
    #expect(Decoded(Line.with([field: text])).outcome == refused)
    let two = Decoded(Line.with([field: #""9999-12-31T23:59:59.999Z""#]) + "\n" + Line.with([field: text]))
    #expect(two.records.count == 1)
    #expect(two.letters.map(\.line) == [2])
  }
}
