import FunnelImport
import FunnelModel
import Testing

/// Each vendor's clock, id, identity and names, on records such as their documentation shows.
@Suite struct VendorFormatTests {
  @Test func `a Segment track becomes an event with properties and context`() throws {
    let segment = try Translating(.segment)
    let line = try segment.line(
      """
      {"anonymousId":"a1","userId":"u1","type":"track","event":"Signed Up","messageId":"m1","timestamp":"2026-11-20T10:15:30.1239Z",\
      "originalTimestamp":"2026-11-20T09:00:00Z","sentAt":"2026-11-20T09:00:01Z","receivedAt":"2026-11-20T10:15:31Z",\
      "properties":{"plan":"Pro","cart":{"total":9.5,"items":[1,2]},"ok":true,"none":null},\
      "context":{"ip":"192.0.2.1","app":{"version":"1.2","build":"34"},"os":{"name":"iOS","version":"18.1"},\
      "device":{"model":"iPhone17,1","advertisingId":"x","name":"Ann's iPhone"},"locale":"en-US","library":{"name":"analytics-swift"},\
      "traits":{"email":"ann@example.com"}}}
      """)
    #expect(
      line == """
        {"name":"signed_up","ts":1795169730123,"subject":"a1","user":"u1","id":"m1","ctx":{"app_version":"1.2","app_build":"34","os":"iOS",\
        "os_version":"18.1","device":"iPhone17,1","locale":"en-US"},"props":{"plan":"Pro","cart.total":9.5,"ok":true,"none":null}}
        """)
    #expect(
      segment.aggregate().leftOut == [
        "context.ip": 1, "context.device.advertisingId": 1, "context.device.name": 1, "context.traits": 1,
        "properties.cart.items": 1,
      ])
  }

  @Test(arguments: [
    (#""type":"screen","name":"Welcome Back""#, "screen_welcome_back"), (#""type":"page","name":"Home""#, "page_home"),
    (#""type":"screen""#, "screen"), (#""type":"identify""#, "identify"), (#""type":"track","event":"2 Steps""#, "e_2_steps"),
    (#""type":"track""#, "track"), (#""event":"Only Event""#, "only_event"),
  ])
  func `a call of Segment is named by its event, its type and name, or its type`(call: String, name: String) throws {
    let line = try Translating(.segment).line(
      "{\(call),\"anonymousId\":\"a\",\"messageId\":\"m\",\"timestamp\":\"2026-11-20T00:00:00Z\"}")
    #expect(line.hasPrefix("{\"name\":\"\(name)\","))
  }

  @Test func `Amplitude's times are UTC without a zone`() throws {
    let amplitude = try Translating(.amplitude)
    let line = try amplitude.line(
      """
      {"event_type":"photo granted","event_time":"2026-11-20 10:15:30.123456","device_id":"d","user_id":"u","uuid":"w",\
      "$insert_id":"i","version_name":"3.1","os_name":"ios","os_version":"18","device_model":"iPhone","device_type":"Apple iPhone",\
      "language":"German","country":"Germany","city":"Bonn","ip_address":"192.0.2.1","event_properties":{"a":1},"user_properties":{"b":2}}
      """)
    #expect(
      line == """
        {"name":"photo_granted","ts":1795169730123,"subject":"d","user":"u","id":"i","ctx":{"app_version":"3.1","os":"ios","os_version":"18",\
        "device":"iPhone","locale":"German","country":"Germany"},"props":{"a":1}}
        """)
    #expect(amplitude.aggregate().leftOut == ["city": 1, "ip_address": 1, "user_properties": 1])
    #expect(
      try amplitude.line(#"{"event_type":"a","event_time":"2026-11-20 10:15:30","user_id":"u","uuid":"w"}"#).contains(
        #""id":"w""#))
  }

  @Test(arguments: [
    ("1795169730", 1_795_169_730_000), ("1795169730.1239", 1_795_169_730_123), ("1795169730123", 1_795_169_730_123),
    ("10000000000", 10_000_000_000_000), ("10000000001", 10_000_000_001),
  ])
  func `Mixpanel's times are seconds, or milliseconds above ten thousand million`(time: String, milliseconds: Int) throws {
    let line = try Translating(.mixpanel).line(
      #"{"event":"Sign Up","properties":{"time":\#(time),"distinct_id":"$device:d","$insert_id":"i","mp_lib":"swift"}}"#)
    #expect(
      line == #"{"name":"sign_up","ts":\#(milliseconds),"subject":"d","id":"i:\#(time)","props":{"mp_lib":"swift"}}"#)
  }

  @Test func `older projects of Mixpanel count on the clock of their zone`() throws {
    let zone = TimeZoneRules(
      name: "Test", transitions: [.init(startMilliseconds: .min, offsetMilliseconds: 3_600_000)])
    let line = try Translating(.mixpanel, sourceZone: zone).lineWithoutID(
      #"{"event":"a","properties":{"time":1795169730,"$device_id":"d","distinct_id":"u","$user_id":"u"}}"#)
    #expect(line == #"{"name":"a","ts":1795166130000,"subject":"d","user":"u"}"#)
  }

  @Test func `PostHog's device comes before its distinct id, and super properties stay properties`() throws {
    let posthog = try Translating(.posthog)
    let line = try posthog.line(
      """
      {"uuid":"w","event":"$screen","distinct_id":"u","timestamp":"2026-11-20T10:15:30.123456+00:00","person_properties":{"email":"x"},\
      "properties":{"$device_id":"d","$app_version":"2","$app_build":"7","$os_name":"iOS","$os":"iOS","$os_version":"18",\
      "$device_model":"iPhone17,1","$locale":"de-DE","$geoip_country_code":"DE","$geoip_city_name":"Bonn","$ip":"192.0.2.1",\
      "$lib":"posthog-ios","$set":{"name":"Ann"},"$active_feature_flags":["a"],"$screen_name":"Home"}}
      """)
    #expect(
      line == """
        {"name":"screen","ts":1795169730123,"subject":"d","user":"u","id":"w","ctx":{"app_version":"2","app_build":"7","os":"iOS",\
        "os_version":"18","device":"iPhone17,1","locale":"de-DE","country":"DE"},"props":{"$lib":"posthog-ios","$screen_name":"Home"}}
        """)
    #expect(
      posthog.aggregate().leftOut == [
        "person_properties": 1, "properties.$geoip_city_name": 1, "properties.$ip": 1, "properties.$set": 1,
        "properties.$active_feature_flags": 1,
      ])
  }

  @Test func `PostHog's properties are read also where they are a text`() throws {
    let posthog = try Translating(.posthog)
    let properties =
      #"{"$device_id":"D-1","$os":"iOS","$app_version":"5.1","plan":"pro","$ip":"192.0.2.1","list":[1],"deep":{"a":"b\"c"}}"#
    for (number, written) in [properties, quoted(properties), quoted(" \n" + properties)].enumerated() {
      let line = try posthog.line(
        #"{"uuid":"w\#(number)","event":"sign_up","distinct_id":"u","timestamp":"2026-11-20T10:15:30Z","properties":\#(written)}"#
      )
      #expect(
        line
          == #"{"name":"sign_up","ts":1795169730000,"subject":"D-1","user":"u","id":"w\#(number)","ctx":{"app_version":"5.1","os":"iOS"},"props":{"plan":"pro","deep.a":"b\"c"}}"#
      )
    }
    #expect(posthog.aggregate().leftOut == ["properties.$ip": 3, "properties.list": 3])
  }

  @Test func `texts that hold objects are read wherever a path leads into them, also in one another`() throws {
    let amplitude = try Translating(.amplitude)
    let head = #""device_id":"d","event_time":"2026-11-20 10:15:30.000","uuid":"w""#
    for text in ["{\"a\":1}", "{\"a\":1,\"b\":{}}"] {
      let line = try amplitude.line(#"{"event_type":"x",\#(head),"event_properties":\#(quoted(text))}"#)
      #expect(line.hasSuffix(#""id":"w","props":{"a":1}}"#), "\(line)")
    }
    let mapped = try Translating(.segment, map: #"{"props":{"city":"properties.payload.place.city"}}"#)
    let payload = #"{"payload":\#(quoted(#"{"place":{"city":"Bonn"}}"#))}"#
    let line = try mapped.line(
      #"{"type":"track","event":"x","anonymousId":"a","messageId":"m","timestamp":"2026-11-20T10:15:30Z","properties":\#(quoted(payload))}"#
    )
    #expect(line.contains(#""props":{"city":"Bonn","payload.place.city":"Bonn"}"#), "\(line)")
  }

  @Test func `a text that holds no object is left out and counted`() throws {
    let posthog = try Translating(.posthog)
    let texts = ["pro", "[1", "{", "{\"a\":1", "{\"a\":1}}", "{},\"x\":{}", "{\"a\":1,\"a\":2}", " ", "7"]
    for text in texts {
      let line = try posthog.line(
        #"{"uuid":"w","event":"sign_up","distinct_id":"u","timestamp":"2026-11-20T10:15:30Z","properties":\#(quoted(text))}"#)
      #expect(line == #"{"name":"sign_up","ts":1795169730000,"subject":"u","id":"w"}"#, "\(text)")
    }
    #expect(posthog.aggregate().leftOut == ["properties": texts.count])
  }

  /// Returns a text as a JSON string.
  private func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.appendJSONString(text)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `Google's parameters become properties and its microseconds are rounded down`() throws {
    let record =
      """
      {"event_name":"first_open","event_timestamp":"1795169730123999","user_pseudo_id":"p","event_bundle_sequence_id":7,\
      "event_params":[{"key":"ga_session_id","value":{"string_value":null,"int_value":"12","double_value":null}},\
      {"key":"screen","value":{"string_value":"Welcome"}},{"key":"x","value":{"double_value":0.5}}],\
      "device":{"operating_system":"IOS","operating_system_version":"18.1","mobile_model_name":"iPhone","language":"en-us",\
      "vendor_id":"V"},"geo":{"country":"Germany","city":"Bonn"},"app_info":{"version":"1.0"},"user_properties":[],"platform":"IOS"}
      """
    let ga4 = try Translating(.ga4)
    let line = try ga4.line(record)
    #expect(line.hasPrefix(#"{"name":"first_open","ts":1795169730123,"subject":"p","seq":7000000,"id":""#))
    #expect(
      line.hasSuffix(
        """
        ","ctx":{"app_version":"1.0","os":"IOS","os_version":"18.1","device":"iPhone","locale":"en-us","country":"Germany"},\
        "props":{"ga_session_id":12,"screen":"Welcome","x":0.5}}
        """))
    #expect(try ga4.line(record.replacing("\"1795169730123999\"", with: "1795169730123999")) == line)
    #expect(try ga4.line(record.replacing("_id\":7", with: "_id\":8")) != line)
    #expect(ga4.aggregate().leftOut["geo.city"] == 3)
  }

  @Test(arguments: [("12", "12"), ("-7", "-7"), ("0", "0"), ("00", "\"00\""), ("-01", "\"-01\""), ("1.5", "\"1.5\"")])
  func `Google's integers are strings of digits`(text: String, value: String) throws {
    let line = try Translating(.ga4).line(
      #"{"event_name":"e","event_timestamp":"1","user_pseudo_id":"p","event_params":[{"key":"k","value":{"int_value":"\#(text)"}}]}"#
    )
    #expect(line.hasSuffix("\"props\":{\"k\":\(value)}}"))
  }

  @Test func `a CloudEvent is named by the last part of its type and known within its source`() throws {
    let line = try Translating(.cloudevents).line(
      """
      {"specversion":"1.0","id":"7","source":"/apps/notes","type":"com.example.notes.StepViewed","subject":"s",\
      "time":"2026-11-20T10:15:30Z","datacontenttype":"application/json","data":{"screen":"welcome"}}
      """)
    #expect(
      line == #"{"name":"step_viewed","ts":1795169730000,"subject":"s","id":"/apps/notes 7","props":{"screen":"welcome"}}"#)
    let long = String(repeating: "x", count: 200)
    let hashed = try Translating(.cloudevents).line(
      #"{"specversion":"1.0","id":"7","source":"\#(long)","type":"a","subject":"s","time":"2026-11-20T10:15:30Z"}"#)
    #expect(hashed.contains(#/"id":"[0-9a-f]{32}"/#))
  }
}
