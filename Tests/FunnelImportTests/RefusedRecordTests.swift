import FunnelImport
import FunnelModel
import Testing

/// Records that are no events, and the sentences that say why.
@Suite struct RefusedRecordTests {
  private static func segment(_ members: String) -> String {
    "{\"type\":\"track\",\"event\":\"a\",\"messageId\":\"m\",\(members)}"
  }

  @Test func `a record without an id of a person is refused, and the paths are named`() throws {
    let message = try Translating(.segment).refusal(
      Self.segment(#""timestamp":"2026-11-20T00:00:00Z","userId":"","anonymousId":null"#))
    #expect(
      message == "subject: the record has none of anonymousId, userId; name another path in a mapping (--map)")
  }

  @Test(arguments: ["anonymous", "NULL", "0", "00000000-0000-0000-0000-000000000000", "-1", "[object Object]"])
  func `an id that stands for nobody is refused, not passed over`(id: String) throws {
    let message = try Translating(.segment).refusal(
      Self.segment("\"timestamp\":\"2026-11-20T00:00:00Z\",\"anonymousId\":\"\(id)\",\"userId\":\"u\""))
    #expect(message == "subject: \"\(id)\" is a placeholder, not an id; it would count different people as one")
  }

  private static let form =
    #"name it in a mapping (--map), as in "ts": {"path": "timestamp", "format": "dd.MM.yyyy HH:mm"}"#

  @Test(arguments: [
    (
      #""2026-11-20 10:15:30""#,
      #"ts: "2026-11-20 10:15:30" has no time zone; give the zone of such times with --source-tz"#
    ),
    (#""soon""#, #"ts: "soon" is not a time that can be read without its form; \#(form)"#),
    ("true", "ts: a boolean is not a time that can be read without its form; \(form)"),
    ("null", "ts: the record has no timestamp; an event needs a time"),
  ])
  func `what can't be dated is refused`(time: String, message: String) throws {
    #expect(try Translating(.segment).refusal(Self.segment("\"anonymousId\":\"a\",\"timestamp\":\(time)")) == message)
  }

  @Test(arguments: ["", "[]", "{", "{\"a\":1,\"a\":2}", "{\"a\":NaN}", "\"text\""])
  func `what is not one JSON object is unreadable`(record: String) throws {
    #expect(try Translating(.segment).outcome(record) == .unreadable)
  }

  @Test func `keys of nested objects that grow beyond a line are refused`() throws {
    let key = String(repeating: "k", count: 100_000)
    let members = (0..<20).map { "\"\($0)\":1" }.joined(separator: ",")
    let message = try Translating(.segment).refusal(
      Self.segment("\"anonymousId\":\"a\",\"timestamp\":\"2026-11-20T00:00:00Z\",\"properties\":{\"\(key)\":{\(members)}}"))
    #expect(message.hasPrefix("props: the keys of nested objects, joined with dots, have more than"))
  }
}
