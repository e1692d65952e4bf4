import FunnelImport
import FunnelModel
import Testing

/// Enriched events of Snowplow: the lines of its stream and the JSON of its SDKs and loaders are the same events.
@Suite struct SnowplowTests {
  /// The columns of a line that a test sets. All others are empty.
  private static let columnIndices = [
    "app_id": 0, "platform": 1, "etl_tstamp": 2, "collector_tstamp": 3, "dvce_created_tstamp": 4, "event": 5, "event_id": 6,
    "user_id": 12,
    "user_ipaddress": 13, "domain_userid": 15, "network_userid": 17, "geo_country": 18, "geo_city": 20, "page_url": 29,
    "page_title": 30,
    "page_referrer": 31, "contexts": 52, "se_category": 53, "se_action": 54, "se_label": 55, "se_property": 56, "se_value": 57,
    "unstruct_event": 58, "br_lang": 83, "derived_tstamp": 124, "event_name": 126,
  ]

  private static let id = "c6ef3124-b53a-4b13-a233-0088f79dcbcb"
  private static let head = [
    "app_id": "notes", "platform": "web", "etl_tstamp": "2026-11-20 10:20:00.000",
    "collector_tstamp": "2026-11-20 10:15:31.000",
    "dvce_created_tstamp": "2026-11-20 11:15:30.000", "event_id": id, "derived_tstamp": "2026-11-20 10:15:30.123",
  ]

  /// Returns a line with these cells beside those that each event has.
  private func line(_ cells: [String: String]) throws -> String {
    var fields = [String](repeating: "", count: 131)
    for (column, text) in Self.head.merging(cells, uniquingKeysWith: { $1 }) {
      fields[try #require(Self.columnIndices[column])] = text
    }
    return fields.joined(separator: "\t")
  }

  /// Returns JSON with these members beside those that each event has.
  private func json(_ members: String) -> String {
    let head = Self.head.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\"\($0.value)\"" }
    return "{\((head + [members]).joined(separator: ","))}"
  }

  private static let contexts =
    #"{"schema":"iglu:com.snowplowanalytics.snowplow/contexts/jsonschema/1-0-0","data":["#
    + #"{"schema":"iglu:com.snowplowanalytics.snowplow/client_session/jsonschema/1-0-2","data":{"userId":"D","sessionId":"S"}},"#
    + #"{"schema":"iglu:com.snowplowanalytics.mobile/application/jsonschema/1-0-0","data":{"version":"5.2","build":"77"}},"#
    + #"{"schema":"iglu:com.snowplowanalytics.snowplow/mobile_context/jsonschema/2-0-0","data":{"osType":"ios","osVersion":"18.1","deviceModel":"iPhone17,1","appleIdfv":"V"}},"#
    + #"{"schema":"iglu:com.acme/user/jsonschema/1-0-0","data":{"plan":"pro"}},"#
    + #"{"schema":"iglu:com.acme/product/jsonschema/1-0-0","data":{"sku":1}},"#
    + #"{"schema":"iglu:com.acme/product/jsonschema/1-0-0","data":{"sku":2}}]}"#
  private static let event =
    #"{"schema":"iglu:com.snowplowanalytics.snowplow/unstruct_event/jsonschema/1-0-0","data":"#
    + #"{"schema":"iglu:com.acme/signed_up/jsonschema/1-0-0","data":{"plan":"pro","cart":{"total":9.5},"tags":[1]}}}"#
  private static let flatEvent =
    #""event":"unstruct","event_name":"signed_up","unstruct_event_com_acme_signed_up_1":{"plan":"pro","cart":{"total":9.5},"tags":[1]}"#
  private static let flatContexts =
    #""contexts_com_snowplowanalytics_snowplow_client_session_1":[{"userId":"D","sessionId":"S"}],"#
    + #""contexts_com_snowplowanalytics_mobile_application_1":[{"version":"5.2","build":"77"}],"#
    + #""contexts_com_snowplowanalytics_snowplow_mobile_context_2":[{"osType":"ios","osVersion":"18.1","deviceModel":"iPhone17,1","appleIdfv":"V"}],"#
    + #""contexts_com_acme_user_1":[{"plan":"pro"}],"contexts_com_acme_product_1":[{"sku":1},{"sku":2}]"#

  private static let expected =
    #"{"name":"signed_up","ts":1795169730123,"subject":"D","id":"\#(id)","ctx":{"app_version":"5.2","app_build":"77","os":"ios","#
    + #""os_version":"18.1","device":"iPhone17,1","locale":"de-DE","country":"DE"},"props":{"plan":"pro","cart.total":9.5}}"#

  @Test func `a line and the JSON of an SDK are the same event`() throws {
    let cells = [
      "event": "unstruct", "event_name": "signed_up", "user_id": "u", "user_ipaddress": "192.0.2.1", "geo_country": "DE",
      "geo_city": "Bonn", "br_lang": "de-DE", "contexts": Self.contexts, "unstruct_event": Self.event,
    ]
    let flat =
      #""user_id":"u","user_ipaddress":"192.0.2.1","geo_country":"DE","geo_city":"Bonn","br_lang":"de-DE","txn_id":null"#
    for record in [try line(cells), json("\(flat),\(Self.flatEvent),\(Self.flatContexts)")] {
      let snowplow = try Translating(.snowplow)
      #expect(
        try snowplow.line(record) == Self.expected.replacing(#""subject":"D""#, with: #""subject":"D","user":"u""#))
      #expect(
        snowplow.aggregate().leftOut == [
          "user_ipaddress": 1, "geo_city": 1, "unstruct_event.tags": 1, "contexts.com_acme_user_1": 1,
          "contexts.com_acme_product_1": 1, "contexts.com_snowplowanalytics_snowplow_client_session_1.sessionId": 1,
          "contexts.com_snowplowanalytics_snowplow_mobile_context_2.appleIdfv": 1,
        ])
    }
  }

  @Test func `warehouses write whole versions, upper case, and JSON as text`() throws {
    let flat = #""geo_country":"DE","br_lang":"de-DE""#
    let whole = "\(flat),\(Self.flatEvent),\(Self.flatContexts)"
      .replacing("signed_up_1\"", with: "signed_up_1_0_0\"").replacing("client_session_1\"", with: "client_session_1_0_2\"")
    let texts = #"\#(flat),"event":"unstruct","contexts":\#(quoted(Self.contexts)),"unstruct_event":\#(quoted(Self.event))"#
    let upper = json("\(flat),\(Self.flatEvent),\(Self.flatContexts)").replacing(#/"([a-z_0-9]+)":(?=["\[\{])/#) { match in
      ["plan", "cart", "version", "build", "tags"].contains(String(match.1)) ? String(match.0) : "\"\(match.1.uppercased())\":"
    }
    for record in [json(whole), json(texts), upper] { #expect(try Translating(.snowplow).line(record) == Self.expected) }
  }

  @Test func `a record in the one shape stays as it is`() throws {
    let record = json(
      #""geo_country":"DE","br_lang":"de-DE","event":"unstruct","event_name":"signed_up","unstruct_event":{"plan":"pro","cart":{"total":9.5}},"#
        + #""contexts":{"com_snowplowanalytics_snowplow_client_session_1":{"userId":"D"},"com_snowplowanalytics_mobile_application_1":{"version":"5.2","build":"77"},"#
        + #""com_snowplowanalytics_snowplow_mobile_context_1":{"osType":"ios","osVersion":"18.1","deviceModel":"iPhone17,1"}},"page_event":{"url":"x"}"#
    )
    #expect(try Translating(.snowplow).line(record) == Self.expected)
  }

  @Test(arguments: [
    (#""domain_userid":"d","network_userid":"n","user_id":"u""#, "d"), (#""network_userid":"n","user_id":"u""#, "n"),
    (#""network_userid":"00000000-0000-0000-0000-000000000000","user_id":"u""#, "u"),
    (
      #""contexts_com_snowplowanalytics_snowplow_client_session_1":[{"userId":"00000000-0000-0000-0000-000000000000"}],"user_id":"u""#,
      "u"
    ),
  ])
  func `the subject is the first id that a tracker has`(members: String, subject: String) throws {
    let line = try Translating(.snowplow).line(json("\"event\":\"page_view\",\"event_name\":\"page_view\",\(members)"))
    #expect(line.contains("\"subject\":\"\(subject)\""), "\(line)")
  }

  @Test func `a structured event has the name of its action, and its value is a number`() throws {
    let cells = [
      "event": "struct", "event_name": "event", "domain_userid": "d", "se_category": "shop", "se_action": "Add to Cart",
      "se_label": "L",
      "se_property": "P", "se_value": "9.50", "page_url": "https://site.example/",
    ]
    let members =
      #""event":"struct","event_name":"event","domain_userid":"d","se_category":"shop","se_action":"Add to Cart","se_label":"L","se_property":"P","se_value":9.5,"page_url":"https://site.example/""#
    for record in [try line(cells), json(members)] {
      #expect(
        try Translating(.snowplow).line(record)
          == #"{"name":"add_to_cart","ts":1795169730123,"subject":"d","id":"\#(Self.id)","props":{"category":"shop","label":"L","property":"P","value":9.5}}"#
      )
    }
    let refusal = try Translating(.snowplow).refusal(json(#""event":"struct","event_name":"event","domain_userid":"d""#))
    #expect(refusal == "name: the record is a structured event, but has no se_action")
  }

  @Test(arguments: ["page_view", "page_ping"]) func `a page view has the page, and a ping too`(type: String) throws {
    let cells = [
      "event": type, "event_name": type, "domain_userid": "d", "page_url": "https://site.example/a", "page_title": "\"A\" page",
      "page_referrer": "https://search.example/",
    ]
    let members =
      #""event":"\#(type)","event_name":"\#(type)","domain_userid":"d","page_url":"https://site.example/a","page_title":"\"A\" page","page_referrer":"https://search.example/""#
    for record in [try line(cells), json(members)] {
      #expect(
        try Translating(.snowplow).line(record)
          == #"{"name":"\#(type)","ts":1795169730123,"subject":"d","id":"\#(Self.id)","props":{"page":"\"A\" page","url":"https://site.example/a","refr":"https://search.example/"}}"#
      )
    }
  }

  @Test func `a screen view is named by its screen, and a mapping finds it by that`() throws {
    let record = json(
      #""event":"unstruct","event_name":"screen_view","domain_userid":"d","unstruct_event_com_snowplowanalytics_mobile_screen_view_1":{"name":"Welcome Back","id":"x"}"#
    )
    #expect(try Translating(.snowplow).line(record).hasPrefix(#"{"name":"screen_welcome_back","#))
    for key in ["screen Welcome Back", "screen_welcome_back", "Welcome Back"] {
      let mapped = try Translating(
        .snowplow, map: #"{"events":{"\#(key)":{"name":"step_viewed","step":"$unstruct_event.name"}}}"#)
      #expect(try mapped.line(record).contains(#","step":"welcome_back","#))
    }
  }

  @Test func `a mapping reads contexts by their schemas`() throws {
    let mapped = try Translating(
      .snowplow, map: #"{"props":{"plan_before":"contexts.com_acme_user_1.plan"},"subject":"contexts.com_acme_user_1.plan"}"#)
    #expect(try mapped.line(json("\(Self.flatEvent),\(Self.flatContexts)")).contains(#""subject":"pro","#))
  }

  @Test func `without event_name the schema names the event`() throws {
    let cells = ["event": "unstruct", "domain_userid": "d", "unstruct_event": Self.event]
    #expect(try Translating(.snowplow).line(line(cells)).hasPrefix(#"{"name":"signed_up","#))
    let flat = Self.flatEvent.replacing(#""event_name":"signed_up","#, with: "")
    #expect(
      try Translating(.snowplow).line(json(#""domain_userid":"d",\#(flat)"#)).hasPrefix(#"{"name":"com_acme_signed_up","#))
  }

  @Test func `without a corrected time the device's counts`() throws {
    let record = try line(["event": "page_view", "domain_userid": "d", "derived_tstamp": ""])
    #expect(try Translating(.snowplow).line(record).contains("\"ts\":1795173330000,"))
  }

  @Test func `a line with too few fields is refused, and says so`() throws {
    let whole = try line(["event": "page_view", "domain_userid": "d"])
    let message = "the record is neither JSON nor a line of 131 fields with tabs between them; its number of fields is"
    #expect(try Translating(.snowplow).refusal(String(whole.dropLast())) == "\(message) 130")
    #expect(try Translating(.snowplow).refusal(whole + "\t") == "\(message) 132")
    #expect(try Translating(.snowplow).refusal("nonsense") == "\(message) 1")
    #expect(try Translating(.snowplow).outcome("{") == .unreadable)
  }

  @Test(arguments: [
    "pro", "{", "{},\"x\":{}", "[1]", "{\"schema\":\"iglu:com.acme/x/jsonschema/1-0-0\"}", "{\"schema\":7,\"data\":{}}",
    "[[[{}]]]",
  ])
  func `a cell that is no self-describing JSON does no harm`(cell: String) throws {
    let record = try line([
      "event": "unstruct", "event_name": "x", "domain_userid": "d", "contexts": cell, "unstruct_event": cell,
    ])
    #expect(try Translating(.snowplow).line(record).hasPrefix(#"{"name":"x","ts":1795169730123,"subject":"d""#))
  }

  /// Returns a text as a JSON string.
  private func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.appendJSONString(text)
    return String(decoding: bytes, as: UTF8.self)
  }
}
