import FunnelImport
import FunnelModel
import Testing

/// The user of imported records, and the records that only link two ids of a person.
@Suite struct ImportedUserTests {
  /// A record, and the beginning of the event that it becomes.
  struct Example: CustomTestStringConvertible {
    let format: ImportFormat
    let record: String
    let event: String

    init(_ format: ImportFormat, _ record: String, _ event: String) {
      self.format = format
      self.record = Self.complete(record, format)
      self.event = event
    }

    var testDescription: String { record }

    /// Returns the record with the members that every record of the format has.
    private static func complete(_ record: String, _ format: ImportFormat) -> String {
      switch format {
      case .segment, .rudderstack: #"{"messageId":"m","timestamp":"2026-11-20T00:00:00Z",\#(record)}"#
      case .amplitude: #"{"event_type":"a","event_time":"2026-11-20 00:00:00","uuid":"m",\#(record)}"#
      case .posthog: #"{"uuid":"m","timestamp":"2026-11-20T00:00:00Z",\#(record)}"#
      case .ga4: #"{"event_name":"a","event_timestamp":"1795132800000000",\#(record)}"#
      case .snowplow:
        #"{"event_id":"m","collector_tstamp":"2026-11-20T00:00:01Z","derived_tstamp":"2026-11-20T00:00:00Z","event":"a",\#(record)}"#
      case .mixpanel: "{\(record)}"
      case .native, .cloudevents, .json, .csv: record
      }
    }
  }

  private static func track(_ ids: String) -> String { #""type":"track","event":"a",\#(ids)"# }
  private static func mixpanel(_ name: String, _ properties: String) -> String {
    #""event":"\#(name)","properties":{"$insert_id":"m","time":1795132800,\#(properties)}"#
  }

  private static let users = [
    Example(.segment, track(#""anonymousId":"d","userId":"u""#), #""subject":"d","user":"u","#),
    Example(.segment, track(#""userId":"u""#), #""subject":"u","user":"u","#),
    Example(.segment, track(#""anonymousId":"d""#), #""subject":"d","id""#),
    Example(.segment, track(#""anonymousId":"d","userId":"""#), #""subject":"d","id""#),
    Example(.segment, track(#""anonymousId":"d","userId":null"#), #""subject":"d","id""#),
    Example(.rudderstack, track(#""anonymousId":"d","userId":77"#), #""subject":"d","user":"77","#),
    Example(.amplitude, #""device_id":"d","user_id":"u""#, #""subject":"d","user":"u","#),
    Example(.amplitude, #""user_id":"u""#, #""subject":"u","user":"u","#),
    Example(.ga4, #""user_pseudo_id":"d","user_id":"u""#, #""subject":"d","user":"u","#),
    Example(.ga4, #""user_id":"u""#, #""subject":"u","user":"u","#),
    Example(.snowplow, #""domain_userid":"d","user_id":"u""#, #""subject":"d","user":"u","#),
    Example(.snowplow, #""user_id":"u""#, #""subject":"u","user":"u","#),
    Example(.mixpanel, mixpanel("a", #""$device_id":"d","distinct_id":"u""#), #""subject":"d","user":"u","#),
    Example(.mixpanel, mixpanel("a", #""$device_id":"d","distinct_id":"d""#), #""subject":"d","id""#),
    Example(.mixpanel, mixpanel("a", #""$device_id":"d","distinct_id":"$device:d""#), #""subject":"d","id""#),
    Example(.mixpanel, mixpanel("a", #""distinct_id":"u""#), #""subject":"u","id""#),
    Example(.mixpanel, mixpanel("a", #""distinct_id":"x","$user_id":"u""#), #""subject":"x","user":"u","#),
    Example(
      .mixpanel, mixpanel("a", #""$device_id":"d","distinct_id":"u","$user_id":"v""#), #""subject":"d","user":"v","#),
    Example(
      .posthog, #""event":"a","distinct_id":"u","properties":{"$device_id":"d"}"#, #""subject":"d","user":"u","#),
    Example(.posthog, #""event":"a","distinct_id":"d","properties":{"$device_id":"d"}"#, #""subject":"d","id""#),
    Example(.posthog, #""event":"a","distinct_id":"u","properties":{}"#, #""subject":"u","id""#),
    Example(.posthog, #""event":"a","distinct_id":"x","properties":{"$user_id":"u"}"#, #""subject":"x","user":"u","#),
  ]

  @Test(arguments: users)
  func `the user is the vendor's id of the account`(example: Example) throws {
    let importer = try Translating(example.format)
    // The second record is read by the layout of the first.
    for _ in 0..<2 {
      let line = try importer.line(example.record)
      #expect(line.contains(example.event), "\(line)")
    }
  }

  private static let links = [
    Example(.segment, #""type":"identify","anonymousId":"d","userId":"u","traits":{}"#, #""subject":"d","user":"u","#),
    Example(.rudderstack, #""type":"identify","anonymousId":"d","userId":"u""#, #""subject":"d","user":"u","#),
    Example(.segment, #""type":"identify","userId":"u""#, #""subject":"u","user":"u","#),
    Example(
      .segment, #""type":"alias","previousId":"p","userId":"u","anonymousId":"d""#, #""subject":"p","user":"u","#),
    Example(.segment, #""type":"alias","anonymousId":"d","userId":"u""#, #""subject":"d","user":"u","#),
    Example(
      .posthog, #""event":"$identify","distinct_id":"u","properties":{"$anon_distinct_id":"p","$device_id":"d"}"#,
      #""subject":"p","user":"u","#),
    Example(
      .posthog, #""event":"$identify","distinct_id":"u","properties":{"$device_id":"d"}"#, #""subject":"d","user":"u","#),
    Example(
      .posthog, #""event":"$create_alias","distinct_id":"u","properties":{"alias":"p"}"#, #""subject":"p","user":"u","#),
    Example(
      .posthog, #""event":"$merge_dangerously","distinct_id":"u","properties":{"alias":"p"}"#,
      #""subject":"p","user":"u","#),
    Example(
      .mixpanel, mixpanel("$identify", #""distinct_id":"x","$anon_id":"$device:p","$identified_id":"u""#),
      #""subject":"p","user":"u","#),
    Example(.mixpanel, mixpanel("$create_alias", #""distinct_id":"p","alias":"u""#), #""subject":"p","user":"u","#),
    Example(.mixpanel, mixpanel("$merge", #""$distinct_ids":["p","u"]"#), #""subject":"p","user":"u","#),
  ]

  @Test(arguments: links)
  func `a record that links two ids becomes one event, and its ids are no properties`(example: Example) throws {
    for map in [nil, #"{"other_events":"drop"}"#, #"{"events":{"other":null}}"#] {
      let importer = try Translating(example.format, map: map)
      for _ in 0..<2 {
        let line = try importer.line(example.record)
        #expect(line.hasPrefix(#"{"name":"user_linked","#) && line.contains(example.event), "\(line)")
        #expect(!line.contains("props") && !line.contains("alias"), "\(line)")
      }
      let counts = importer.aggregate()
      #expect(counts.users.values.reduce(0, +) == 2 && counts.collisions.isEmpty)
    }
  }

  @Test(arguments: links)
  func `a mapping may drop a link, or name its event, which links all the same`(example: Example) throws {
    let name = try #require(
      ["$identify", "$create_alias", "$merge_dangerously", "$merge", "identify", "alias"].first {
        example.record.contains("\"\($0)\"")
      })
    let dropping = try Translating(example.format, map: #"{"events":{"\#(name)":null}}"#)
    #expect(dropping.outcome(example.record) == .dropped)
    let naming = try Translating(example.format, map: #"{"events":{"\#(name)":{"name":"signed_in"}}}"#)
    let line = try naming.line(example.record)
    #expect(line.hasPrefix(#"{"name":"signed_in","#) && line.contains(example.event), "\(line)")
  }

  @Test func `a record without a second id links nothing, nor does a track call with the name of a link`() throws {
    for (example, name) in [
      (Example(.segment, #""type":"identify","anonymousId":"d","traits":{}"#, ""), "identify"),
      (Example(.segment, #""type":"track","event":"identify","anonymousId":"d","userId":"u""#, ""), "identify"),
      (Example(.mixpanel, Self.mixpanel("$identify", #""distinct_id":"d""#), ""), "identify"),
      (Example(.mixpanel, Self.mixpanel("$create_alias", #""distinct_id":"d""#), ""), "create_alias"),
    ] {
      let line = try Translating(example.format).line(example.record)
      #expect(line.hasPrefix("{\"name\":\"\(name)\","), "\(line)")
    }
    let both = try Translating(.segment)
    for (type, name) in [("identify", "user_linked"), ("track", "identify"), ("identify", "user_linked")] {
      let record = Example(.segment, #""type":"\#(type)","event":"identify","anonymousId":"d","userId":"u""#, "").record
      #expect(try both.line(record).hasPrefix("{\"name\":\"\(name)\","))
    }
    let alone = Example(.mixpanel, Self.mixpanel("$merge", #""$distinct_ids":["p"]"#), "").record
    #expect(try Translating(.mixpanel).line(alone).hasPrefix(#"{"name":"merge","#))
    let third = Example(.mixpanel, Self.mixpanel("$merge", #""$distinct_ids":["p","u","v"]"#), "").record
    let importer = try Translating(.mixpanel)
    #expect(try !importer.line(third).contains("\"v\""))
    #expect(importer.aggregate().leftOut == ["properties.$distinct_ids": 1])
  }

  @Test(arguments: ["anonymous", "0", "NULL", "00000000-0000-0000-0000-000000000000"])
  func `a placeholder is no user, and the event stays`(id: String) throws {
    let importer = try Translating(.segment)
    let tracked = try importer.line(Example(.segment, Self.track(#""anonymousId":"d","userId":"\#(id)""#), "").record)
    #expect(!tracked.contains("user"), "\(tracked)")
    let linked = try importer.line(Example(.segment, #""type":"identify","anonymousId":"d","userId":"\#(id)""#, "").record)
    #expect(!linked.contains("\"user\""), "\(linked)")
    #expect(importer.aggregate().users == [:])
    // As a subject it is refused, as ever.
    let alias = Example(.segment, #""type":"alias","previousId":"\#(id)","userId":"u""#, "").record
    #expect(try importer.refusal(alias).contains("is a placeholder"))
  }

  @Test func `a user is a string or a number`() throws {
    let record = Example(.segment, Self.track(#""anonymousId":"d","userId":{"a":1}"#), "").record
    #expect(try Translating(.segment).refusal(record) == "user: userId is an object; a string is needed")
  }

  @Test func `a mapping names the user, or says that there is none`() throws {
    let record = Example(
      .segment, Self.track(#""anonymousId":"d","userId":"u","context":{"account":"acct"},"properties":{"plan":"x"}"#), ""
    ).record
    for (map, ids) in [
      (#"{"user":"context.account"}"#, #""subject":"d","user":"acct","id""#),
      (#"{"user":["properties.missing","context.account"]}"#, #""subject":"d","user":"acct","id""#),
      (#"{"user":null}"#, #""subject":"d","id""#), (#"{"subject":"userId"}"#, #""subject":"u","user":"u","id""#),
      // The account need not be one of the companies by which such a mapping counts.
      (#"{"subject":"context.account"}"#, #""subject":"acct","id""#),
      (#"{"user":"properties.plan"}"#, #""subject":"d","user":"x","id":"m"}"#),
    ] {
      let line = try Translating(.segment, map: map).line(record)
      #expect(line.contains(ids), "\(map): \(line)")
    }
    let csv = #"{"from":"csv","subject":"device","user":"account","ts":"at","name":"what"}"#
    let line = try Translating(.csv, map: csv).lineWithoutID(
      #"{"device":"d","account":"a","at":"2026-11-20T00:00:00Z","what":"opened"}"#)
    #expect(line == #"{"name":"opened","ts":1795132800000,"subject":"d","user":"a"}"#)
    let parsed = try ImportMapping(parsing: Array(csv.utf8), source: "map.json")
    #expect(parsed.json().contains(#""user": "account""#))
    #expect(try ImportMapping(parsing: Array(#"{"user":null}"#.utf8), source: "").json().contains(#""user": null"#))
  }

  @Test func `the ids that are left out are those of no role`() throws {
    let importer = try Translating(.posthog)
    _ = try importer.line(
      Example(.posthog, #""event":"a","distinct_id":"d","properties":{"$device_id":"d","$session_id":"s"}"#, "").record)
    _ = try importer.line(Example(.posthog, #""event":"a","distinct_id":"u","properties":{"$device_id":"d"}"#, "").record)
    let counts = importer.aggregate()
    #expect(counts.leftOut == ["distinct_id": 1, "properties.$session_id": 1])
    #expect(counts.users == ["distinct_id": 1])
  }
}
