import FunnelImport
import FunnelModel
import Testing

/// What a mapping changes, and what it may not say.
@Suite struct MappingTests {
  private static let record =
    """
    {"type":"track","event":"Permission Result","anonymousId":"a","userId":"u","messageId":"m","timestamp":"2026-11-20T10:15:30Z",\
    "properties":{"kind":"photos","result":"allowed","screen":"Welcome Screen","device":"D"}}
    """

  @Test func `an event becomes another by the first rule that holds, and by each that does`() throws {
    let translating = try Translating(
      .segment,
      map: """
        {"from":"segment","app":"notes","events":{"Permission Result":[
          {"name":"perm_photos_granted","when":{"properties.kind":"photos","properties.result":["allowed","limited"]}},
          {"name":"perm_photos_denied","when":{"properties.kind":"photos","properties.result":"denied"}},
          {"name":"step_viewed","step":"$properties.screen","flow":"onboarding","props":{"from":"properties.kind"},
           "ctx":{"device":"properties.device"}}]}}
        """)
    let lines = try translating.lines(Self.record)
    #expect(
      lines == [
        """
        {"name":"perm_photos_granted","ts":1795169730000,"subject":"a","user":"u","app":"notes","id":"m","props":{"kind":"photos",\
        "result":"allowed","screen":"Welcome Screen","device":"D"}}
        """,
        """
        {"name":"step_viewed","ts":1795169730000,"subject":"a","user":"u","step":"welcome_screen","flow":"onboarding","app":"notes",\
        "id":"m","ctx":{"device":"D"},"props":{"from":"photos","kind":"photos","result":"allowed","screen":"Welcome Screen"}}
        """,
      ])
  }

  @Test func `a second event of one name has an id of its own`() throws {
    let translating = try Translating(
      .segment, map: #"{"events":{"permission_result":[{"name":"a"},{"name":"b"},{"name":"a"}]}}"#)
    let ids = try translating.lines(Self.record).map { $0.firstMatch(of: #/"id":"([^"]*)"/#)!.1 }
    #expect(ids == ["m", "m", "m#2"])
  }

  @Test func `an event is left out by null, or by dropping all others`() throws {
    for map in [
      #"{"events":{"Permission Result":null}}"#, #"{"other_events":"drop"}"#,
      #"{"events":{"permission_result":{"when":{"properties.kind":[null,"x"]}}},"other_events":"drop"}"#,
    ] {
      let translating = try Translating(.segment, map: map)
      #expect(translating.outcome(Self.record) == .dropped)
      #expect(translating.aggregate().droppedByMap == 1)
    }
  }

  @Test func `null in a condition stands for a value that is absent`() throws {
    let translating = try Translating(
      .segment, map: #"{"events":{"Permission Result":{"name":"b","when":{"properties.gone":null}}}}"#)
    #expect(try translating.line(Self.record).hasPrefix(#"{"name":"b","#))
  }

  @Test func `another subject, id and time are read where the mapping says, and the usual ids are left out`() throws {
    let translating = try Translating(
      .segment, map: #"{"subject":["properties.none","properties.device"],"id":"properties.kind","name":"properties.result"}"#)
    #expect(
      try translating.line(Self.record)
        == #"{"name":"allowed","ts":1795169730000,"subject":"D","id":"photos","props":{"screen":"Welcome Screen"}}"#)
    #expect(translating.aggregate().leftOut == ["anonymousId": 1, "userId": 1])
  }

  @Test func `a path goes into an array by the index of an element, and the other elements are left out`() throws {
    let translating = try Translating(
      .segment, map: #"{"props":{"second":"properties.ids.1","name":"properties.items.0.name"}}"#)
    let head =
      #"{"type":"track","event":"x","anonymousId":"a","messageId":"m","timestamp":"2026-11-20T10:15:30Z","properties":"#
    for (properties, props) in [
      (
        #"{"ids":["a","b","c"],"items":[{"name":"n","sku":1}]}"#,
        #","props":{"second":"b","name":"n","ids.1":"b","items.0.name":"n","items.0.sku":1}"#
      ),
      (#"{"ids":["a"],"items":[]}"#, ""), (#"{"ids":[],"items":["n"],"plan":1}"#, #","props":{"items.0":"n","plan":1}"#),
    ] {
      let line = try translating.line("\(head)\(properties)}")
      #expect(line.hasSuffix("\"id\":\"m\"\(props)}"), "\(line)")
    }
  }

  @Test func `columns of CSV are named as they are`() throws {
    let translating = try Translating(
      .csv,
      map: #"{"from":"csv","app":"a","subject":"user id","ts":"at","name":"event.name","props":{"n":"a.b"}}"#,
      sourceZone: .utc)
    #expect(
      try translating.lineWithoutID(
        #"{"user id":"s","at":"2026-11-20 10:15:30.5","event.name":"Did It","a.b":"7","other":"x"}"#)
        == #"{"name":"did_it","ts":1795169730500,"subject":"s","app":"a","props":{"n":7}}"#)
    for (text, milliseconds) in [
      ("1795169730", 1_795_169_730_000), ("1795169730123", 1_795_169_730_123), ("1795169730123456", 1_795_169_730_123),
    ] {
      #expect(try translating.line(#"{"user id":"s","at":"\#(text)","event.name":"a"}"#).contains("\"ts\":\(milliseconds),"))
    }
  }

  @Test(arguments: [
    ("{", "m.json:1:2: $: not JSON: a key in double quotes is missing here"),
    ("[]", "m.json:1:1: $: an object is needed, not an array"),
    (
      #"{"form":"segment"}"#,
      #"m.json:1:2: $.form: unknown key "form", did you mean "from"? allowed: $schema, app, ctx, encoding, events, from, header, id, name, other_events, props, records, subject, ts, user"#
    ),
    (
      #"{"from":"segmnet"}"#,
      #"m.json:1:9: $.from: "segmnet" is unknown here, did you mean "segment"? allowed: native, segment, rudderstack, amplitude, mixpanel, posthog, ga4, snowplow, cloudevents, json, csv"#
    ),
    (
      #"{"from":"native"}"#,
      "m.json:1:9: $.from: native events need no mapping, remove the file, or name the format of the records"
    ),
    (
      #"{"subject":"a..b"}"#,
      #"m.json:1:12: $.subject: "a..b" is not a path, allowed: keys with a dot between them, as in properties.screen"#
    ),
    (#"{"from":"csv","subject":"a","ts":"b"}"#, #"m.json:1:1: $: the key "name" is missing, name the column it comes from"#),
    (
      #"{"events":{"A":{"name":"Big"}}}"#,
      #"m.json:1:24: $.events.A.name: "Big" is not a valid name, allowed: a lower-case letter, then up to 99 lower-case letters, digits and underscores"#
    ),
    (#"{"events":{"A":[]}}"#, "m.json:1:16: $.events.A: the array is empty, at least one element is needed"),
    (
      #"{"events":{"A":{"when":{"p":{}}}}}"#,
      "m.json:1:29: $.events.A.when.p: a string, number, boolean or null is needed, not an object"
    ),
    (#"{"other_events":"no"}"#, #"m.json:1:17: $.other_events: "no" is unknown here, allowed: keep, drop"#),
  ])
  func `a wrong mapping is told with its place`(map: String, message: String) {
    #expect(throws: FunnelError(.configuration, message)) {
      try ImportMapping(parsing: Array(map.utf8), source: "m.json")
    }
  }
}
