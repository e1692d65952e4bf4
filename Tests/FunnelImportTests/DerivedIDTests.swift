import FunnelImport
import FunnelModel
import FunnelTestSupport
import Testing

/// Derived IDs depend on all of a record, but not on the order of its keys.
@Suite struct ImportedDerivedIDTests {
  private static func id(_ record: String, _ format: ImportFormat = .ga4) throws -> String {
    let line = try Translating(format).line(record)
    return try String(#require(line.firstMatch(of: /"id":"([0-9a-f]{32})"/)).1)
  }

  /// The members of a record of Google Analytics.
  private static let members = [
    #""event_name":"a""#, #""event_timestamp":"1795169730123456""#, #""user_pseudo_id":"p""#,
    #""geo":{"city":"x","country":"DE"}"#,
    #""items":[{"id":1},{"id":2}]"#,
  ]
  private static let parameters = [
    #"{"key":"screen","value":{"string_value":"w"}}"#, #"{"key":"n","value":{"int_value":"3"}}"#,
    #"{"key":"x","value":{"double_value":0.5}}"#,
  ]

  private static func record(_ members: [String], _ parameters: [String]) -> String {
    "{" + (members + [#""event_params":["# + parameters.joined(separator: ",") + "]"]).joined(separator: ",") + "}"
  }

  @Test(arguments: Sweeps.seeds(100, sample: 20))
  func `the order of keys and of parameters does not matter`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let shuffled = Self.record(Self.members.shuffled(using: &random), Self.parameters.shuffled(using: &random))
    #expect(try Self.id(shuffled) == Self.id(Self.record(Self.members, Self.parameters)), "seed \(seed): \(shuffled)")
  }

  @Test(arguments: [
    ("\"w\"", "\"v\""), ("123456", "123457"), (#"{"id":1},{"id":2}"#, #"{"id":2},{"id":1}"#), ("\"x\"", "null"),
    (#""country":"DE""#, #""country":"DE","region":"SH""#), ("\"3\"", "\"4\""),
  ]) func `every other difference is another event`(part: String, other: String) throws {
    let record = Self.record(Self.members, Self.parameters)
    #expect(record.contains(part))
    #expect(try Self.id(record) != Self.id(record.replacing(part, with: other)))
  }

  @Test(arguments: [
    #""batch_event_index":4"#, #""is_active_user":true"#, #""privacy_info":{"analytics_storage":"Yes"}"#,
    #""user_ltv":{"revenue":1}"#,
    #""collected_traffic_source":{"gclid":"g"}"#, #""event_server_timestamp_offset":12"#,
  ]) func `what Google's daily table adds does not matter`(member: String) throws {
    let intraday = Self.record(Self.members, Self.parameters)
    #expect(try Self.id(intraday) == Self.id(Self.record(Self.members + [member], Self.parameters)))
    let key = try #require(member.firstMatch(of: /"([a-z_]+)"/)).1
    let added = Self.parameters + [#"{"key":"\#(key)","value":{"int_value":"1"}}"#]
    #expect(try Self.id(intraday) == Self.id(Self.record(Self.members, added)))
  }

  @Test func `the stamps of sending and receiving do not matter`() throws {
    let call = #"{"type":"track","event":"a","anonymousId":"d","timestamp":"2026-11-20T10:00:00Z","properties":{"list":[1,2]}}"#
    let sent = call.replacing(#""type""#, with: #""sentAt":"2026-11-20T10:00:01Z","receivedAt":"2026-11-20T10:00:02Z","type""#)
    #expect(try Self.id(call, .segment) == Self.id(sent, .segment))
    #expect(try Self.id(call, .segment) != Self.id(call.replacing("[1,2]", with: "[1,3]"), .segment))
  }

  @Test func `a record whose layout was learned without an ID has the same one`() throws {
    // The first record has no time, so it gets no ID. The second one is matched with its layout.
    let translating = try Translating(.ga4)
    let record = Self.record(Self.members, Self.parameters)
    let faulty = record.replacing("1795169730123456", with: "x")
    _ = translating.outcome(faulty)
    #expect(try translating.line(record) == Translating(.ga4).line(record))
  }
}
