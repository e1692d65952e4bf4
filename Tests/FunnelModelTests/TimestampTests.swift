import FunnelModel
import Testing

@Suite struct TimestampTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("2026-11-20T10:15:30Z", 1_795_169_730_000), ("2026-11-20T10:15:30.1Z", 1_795_169_730_100),
    ("2026-11-20T10:15:30.12Z", 1_795_169_730_120), ("2026-11-20T10:15:30.123Z", 1_795_169_730_123),
    ("2026-11-20T10:15:30.1239Z", 1_795_169_730_123), ("2026-11-20T10:15:30.999999999999Z", 1_795_169_730_999),
    ("2026-11-20T10:15:30.000999Z", 1_795_169_730_000), ("2026-11-20T10:15:30+00:00", 1_795_169_730_000),
    ("2026-11-20T10:15:30-00:00", 1_795_169_730_000), ("2026-11-20T11:15:30.5+01:00", 1_795_169_730_500),
    ("2026-11-20T04:45:30-05:30", 1_795_169_730_000), ("2026-11-20t10:15:30z", 1_795_169_730_000),
    ("2026-11-20 10:15:30Z", 1_795_169_730_000), ("2024-02-29T00:00:00Z", 1_709_164_800_000),
    ("2000-02-29T00:00:00Z", 951_782_400_000),
    ("2016-12-31T23:59:60Z", 1_483_228_800_000), ("1969-12-31T23:59:59.999Z", -1), ("1969-12-31T23:59:59.9999Z", -1),
    ("0000-01-01T00:00:00Z", -62_167_219_200_000), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ("0000-01-01T00:00:00+23:59", -62_167_305_540_000), ("9999-12-31T23:59:59-23:59", 253_402_387_139_000),
  ])
  func `a date-time of RFC 3339 is read, floored to the millisecond`(text: String, milliseconds: Int64) {
    #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds)
  }

  @Test(arguments: [
    "", "2026-11-20", "2026-11-20T10:15:30", "2026-11-20T10:15:30.", "2026-11-20T10:15:30.Z", "2026-11-20T10:15:30.1",
    "2026-11-20T10:15Z",
    "2026-11-20T10:15:30+0100", "2026-11-20T10:15:30+01", "2026-11-20T10:15:30+1:00", "2026-11-20T10:15:30+24:00",
    "2026-11-20T10:15:30+01:60", "2026-11-20T10:15:30+01:00 ", "2026-11-20T10:15:30ZZ", "2026-11-20T10:15:30,5Z",
    "2026-11-20T24:00:00Z",
    "2026-11-20T10:60:00Z", "2026-11-20T10:15:61Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-04-31T00:00:00Z",
    "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-11-00T00:00:00Z", "26-11-20T10:15:30.000Z", "+2026-11-20T10:15:30Z",
    "2026-1１-20T10:15:30Z", "2026/11/20T10:15:30Z", "2026-11-20_10:15:30Z", " 2026-11-20T10:15:30Z", "2026-11-20T10:15:30.12 Z",
    "2026-11-20T10:15:30.١Z", "2026-W47-5T10:15:30Z", "2026-11-20T-1:15:30Z", "1795169730000", "null",
  ])
  func `anything else is refused`(text: String) {
    #expect(Timestamp(rfc3339: text) == nil)
  }

  @Test func `no prefix and no single changed byte crashes the reader`() {
    let bytes = Array("2026-11-20T10:15:30.123+01:00".utf8)
    for length in 0..<bytes.count {
      let prefix = bytes[..<length]
      let timestamp = Timestamp(rfc3339: prefix.span)
      #expect(timestamp == nil, "\(length)")
    }
    for index in bytes.indices {
      for byte in UInt8.min...UInt8.max {
        var changed = bytes
        changed[index] = byte
        _ = Timestamp(rfc3339: changed.span)
      }
    }
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"), (1_795_169_730_123, "2026-11-20T10:15:30.123Z"),
      (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (253_402_300_800_000, "+10000-01-01T00:00:00.000Z"),
      (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"), (-62_167_219_200_001, "-0001-12-31T23:59:59.999Z"),
      (.max, "+292278994-08-17T07:12:55.807Z"), (.min, "-292275055-05-16T16:47:04.192Z"),
    ] as [(Int64, String)])
  func `every moment has a text`(milliseconds: Int64, text: String) {
    #expect(Timestamp(milliseconds: milliseconds).description == text)
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func `what is written reads back`(seed: UInt64) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    for _ in 0..<2000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let moment = Timestamp(milliseconds: Int64(state >> 1) % 315_569_519_999_999 - 62_167_219_200_000)
      #expect(Timestamp(rfc3339: moment.description) == moment, "seed \(seed), \(moment.milliseconds)")
    }
  }

  @Test func `the day of a moment before the epoch is the one it falls into`() {
    #expect(Timestamp(milliseconds: -1).day.description == "1969-12-31")
    #expect(Timestamp(milliseconds: -86_400_000).day.description == "1969-12-31")
    #expect(Timestamp(milliseconds: -86_400_001).day.description == "1969-12-30")
  }
}
