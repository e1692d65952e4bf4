import FunnelModel
import FunnelTestSupport
import Testing

/// The form in which the log keeps events.
@Suite struct CanonicalRecordTests {
  @Test func `fields come in a fixed order, keys of props and ctx by their bytes`() {
    let line = """
      {"v":1,"received_at":1795171000000,"sent_at":1795171000000,"ctx":{"os":"iOS","Z":1,"é":2,"a":null},"props":{"b":false,"a":"x"},\
      "id":"i","step":"photos","seq":7,"attempt":"t","flow_version":2,"flow":"f","app":"cleaner","user":"u","subject":"s","ts":1795169730123,"name":"opened"}
      """
    #expect(
      Decoded(line).records == [
        #"{"name":"opened","ts":"2026-11-20T10:15:30.123Z","subject":"s","user":"u","app":"cleaner","flow":"f","flow_version":2,"attempt":"t","seq":7,"step":"photos","id":"i","#
          + #""props":{"a":"x","b":false},"ctx":{"Z":1,"a":null,"os":"iOS","é":2},"#
          + #""sent_at":"2026-11-20T10:36:40.000Z","received_at":"2026-11-20T10:36:40.000Z","device_ts":"2026-11-20T10:15:30.123Z","v":1}"#
      ])
  }

  @Test(arguments: [
    ("0", "0"), ("-0", "0"), ("-0.0", "0"), ("1.0", "1"), ("1e3", "1000"), ("0.1", "0.1"), ("1.10", "1.1"), ("-1E-2", "-0.01"),
    ("9007199254740992", "9007199254740992"), ("9007199254740992.0", "9007199254740992"),
    ("9007199254740993", "9007199254740993"),
    ("9223372036854775807", "9223372036854775807"), ("-9223372036854775808", "-9223372036854775808"),
    ("18446744073709551615", "1.8446744073709552e+19"), ("1e16", "1e+16"), ("5e-324", "5e-324"), ("1e-999", "0"),
    ("1.7976931348623157e308", "1.7976931348623157e+308"),
    (#""\u00e9\/\"\\\n\u001f\u007f""#, #""é/\"\\\n\u001f"# + "\u{7F}\""), (#""\ud83d\ude00""#, "\"😀\""),
  ])
  func `a value is written the shortest way that reads back the same`(value: String, written: String) {
    let record = Decoded(Line.with(["props": "{\"x\":\(value)}"])).records.first ?? ""
    #expect(record.contains("\"props\":{\"x\":\(written)}"), "\(record)")
    #expect(Decoded(record).records == [record])
  }

  @Test(arguments: 0..<8)
  func `the record of a record is that record, whatever the event`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      let line = RandomEvents.wildLine(using: &random)
      let first = Decoded(line)
      #expect(first.outcome == "accepted", "seed \(seed): \(line)")
      #expect(Decoded(first.records.first ?? "").records == first.records, "seed \(seed): \(line)")
      let trusted = Decoded(first.records.first ?? "", isTrusted: true)
      #expect(trusted.records == first.records, "seed \(seed): \(line)")
    }
  }

  @Test(arguments: 0..<4)
  func `white space, escapes and the order of keys leave no trace in the record`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let event = RandomEvents.wildEvent(using: &random)
      let texts = (0..<3).map { _ in event.text(using: &random) }
      let records = texts.map { Decoded($0).records }
      #expect(records[0].count == 1, "seed \(seed): \(texts[0])")
      #expect(records.allSatisfy { $0 == records[0] }, "seed \(seed): \(texts)")
    }
  }
}
