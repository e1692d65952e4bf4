import FunnelDecoding
import FunnelIngest
import FunnelModel
import FunnelTestSupport
import Testing

/// The id of an event that has none is derived from its content, not from how it was received.
@Suite struct DerivedIDTests {
  private func id(_ changes: [String: String], now: Timestamp = Decoded.now) -> String {
    let record = Decoded(Line.with(changes), now: now).records.first ?? ""
    return String(record.split(separator: "\"id\":\"", maxSplits: 1).last?.prefix { $0 != "\"" } ?? "")
  }

  @Test func `it is 128 bits in hexadecimal`() {
    let id = id([:])
    #expect(id.count == 32)
    #expect(id.allSatisfy { $0.isHexDigit && !$0.isUppercase })
  }

  @Test func `it does not depend on when the event was sent, received or ingested`() {
    let later = Timestamp(milliseconds: Decoded.now.milliseconds + 3_600_000)
    #expect(id([:]) == id([:], now: later))
    #expect(id([:]) == id(["received_at": #""2026-11-20T11:00:00Z""#]))
    #expect(id([:]) == id(["sent_at": #""2026-11-20T11:00:00Z""#]))
    #expect(id([:]) == id(["sent_at": #""2026-11-20T11:00:00Z""#, "received_at": #""2026-11-20T11:07:00Z""#]))
  }

  @Test func `it does not depend on how the same content is written`() {
    let plain = #"{"name":"opened","ts":"2026-11-20T10:00:00Z","subject":"sü","app":"cleaner","props":{"a":1,"b":"/"},"x":2}"#
    let other =
      #" { "x" : 2.0, "props":{"b":"\/","a":1e0}, "app":"cleaner","subject":"s\u00fc", "ts":1795168800000,"v":1,"name":"\u006fpened" } "#
    let records = [plain, other].map { Decoded($0).records }
    #expect(records[0].count == 1)
    #expect(records[0] == records[1])
  }

  @Test func `it depends on every other field`() {
    let changes: [[String: String]] = [
      [:], ["name": #""closed""#], ["ts": #""2026-11-20T10:00:00.001Z""#], ["subject": #""s2""#], ["app": #""clarity""#],
      ["flow": #""f""#], ["flow_version": "1"], ["flow_version": "2"], ["attempt": #""1""#], ["attempt": #""""#], ["seq": "0"],
      ["seq": "1"], ["user": #""u1""#], ["user": #""u2""#],
      ["step": #""one""#], ["props": #"{"a":1}"#], ["props": #"{"a":"1"}"#], ["ctx": #"{"a":1}"#], ["props": #"{"a":null}"#],
      ["props": #"{"a":true}"#], ["props": #"{"a":1.5}"#],
    ]
    let ids = changes.map { id($0) }
    #expect(Set(ids).count == changes.count)
    // An empty object counts as no object.
    #expect(id(["props": "{}", "ctx": "{}"]) == id([:]))
  }

  @Test func `an event's own id is kept as it is`() {
    #expect(id(["id": #""evt-1 ü""#]) == "evt-1 ü")
  }
}
