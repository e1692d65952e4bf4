import Foundation
import FunnelModel
import Testing

@testable import FunnelCollect

/// The examples of each dialect, and the events that they become.
@Suite struct DialectTests {
  private static let received = #""received_at":"2026-11-20T10:15:32.000Z","v":1}"#
  private static let sent = #""sent_at":"2026-11-20T10:15:31.020Z","#

  @Test func `native events keep their fields but for the app and the times of the batch`() throws {
    let collecting = try Collecting()
    let answer = collecting.send(
      "v1/events",
      """
      {"name":"step_viewed","ts":"2026-11-20T10:15:30.123Z","subject":"5F1C","step":"welcome","id":"01J","app":"evil","received_at":"2020-01-01T00:00:00Z","sent_at":"2026-11-20T10:00:00Z"}

      {"name":"a","ts":"2026-11-20T10:15:30.123Z"}
      {"name":"a","ts":"2026-11-20T10:15:30.123Z","subject":"5F1C","app":7}
      """, headers: ["Authorization": "Bearer \(Collecting.key)", "Funnel-Sent-At": "2026-11-20T10:15:31.020Z"])
    #expect(answer.status == 200)
    #expect(answer.text == #"{"accepted":2,"rejected":[{"line":3,"reason":"missing_field"}]}"# + "\n")
    let lines = try collecting.lines()
    #expect(
      lines.first
        == #"{"name":"step_viewed","ts":"2026-11-20T10:15:30.123Z","subject":"5F1C","app":"todo","step":"welcome","id":"01J","#
        + Self.sent + Self.received)
    #expect(lines.count == 2)
    let letters = try collecting.lines("rejected/")
    #expect(
      letters.count == 1 && letters[0].contains(#""file":"collect/todo","line":3"#) && letters[0].contains(#""app":"todo""#))
  }

  @Test func `a derived id does not depend on the time of sending`() throws {
    let collecting = try Collecting()
    let event = #"{"name":"a","ts":"2026-11-20T10:15:30.123Z","subject":"5F1C"}"#
    for time in ["2026-11-20T10:15:31.020Z", "1795169731999"] {
      let headers = ["Authorization": "Bearer \(Collecting.key)", "Funnel-Sent-At": time]
      #expect(collecting.send("v1/events", event, headers: headers).status == 200)
    }
    let ids = try collecting.lines().map { try JSONDocument(parsing: Array($0.utf8)).root["id"]?.string }
    #expect(ids.count == 2 && ids[0] == ids[1] && ids[0]?.count == 32)
  }

  @Test func `a call of Segment becomes an event`() throws {
    let collecting = try Collecting()
    let answer = collecting.send(
      "v1/batch",
      #"""
      {"batch":[{"type":"track","event":"Welcome Viewed","anonymousId":"5F1C","userId":null,"messageId":"9b1e","timestamp":"2026-11-20T10:15:30.123Z","properties":{"variant":"B"},
        "context":{"app":{"version":"5.2.0","build":"77"},"os":{"name":"iOS","version":"18.3"},"device":{"model":"iPhone16,2","id":"x"},"locale":"de-DE","library":{"name":"analytics-swift","version":"1.9.4"}},"integrations":{}}],
       "sentAt":"2026-11-20T10:15:31.020Z","writeKey":"k-12345678"}
      """#)
    #expect(answer.status == 200 && answer.text == #"{"success":true}"#)
    #expect(
      try collecting.lines() == [
        #"{"name":"welcome_viewed","ts":"2026-11-20T10:15:30.123Z","subject":"5F1C","app":"todo","id":"9b1e","props":{"variant":"B"},"ctx":{"app_build":"77","app_version":"5.2.0","device":"iPhone16,2","locale":"de-DE","os":"iOS","os_version":"18.3"},"#
          + Self.sent + Self.received
      ])
  }

  @Test(arguments: [("v1/b", false), ("v1/batch", true)])
  func `the time of sending of a file that waited is not used`(path: String, isUsed: Bool) throws {
    let collecting = try Collecting()
    let body =
      #"{"batch":[{"type":"track","event":"a","anonymousId":"d","messageId":"m","timestamp":"2026-11-20T04:00:00Z"}],"sentAt":"2026-11-20T04:15:31Z","writeKey":"k-12345678"}"#
    #expect(collecting.send(path, body).status == 200)
    #expect(try collecting.lines()[0].contains("sent_at") == isUsed)
    #expect(
      collecting.metrics.text(.init(bytes: 0, flushCount: 0, secondsBehind: 0)).contains(
        "stale_sent_at_total \(isUsed ? 0 : 1)"))
  }

  @Test func `a single call has the type of its path, and identify links`() throws {
    let collecting = try Collecting()
    let key = ["Authorization": "Basic \("k-12345678:".base64)"]
    #expect(
      collecting.send(
        "v1/screen", #"{"name":"Home","anonymousId":"d","messageId":"1","timestamp":"2026-11-20T10:00:00Z"}"#, headers: key
      ).status == 200)
    #expect(
      collecting.send(
        "v1/i", #"{"userId":"u","anonymousId":"d","messageId":"2","timestamp":"2026-11-20T10:00:00Z"}"#, headers: key
      ).status == 200)
    #expect(
      collecting.send("v1/i", #"{"userId":"u","messageId":"3","timestamp":"2026-11-20T10:00:00Z"}"#, headers: key).status == 200
    )
    let lines = try collecting.lines()
    #expect(lines.count == 2)
    #expect(lines[0].contains(#""name":"screen_home""#))
    #expect(lines[1].contains(#""name":"user_linked""#) && lines[1].contains(#""subject":"d","user":"u""#))
  }

  @Test func `an event of PostHog becomes an event`() throws {
    let collecting = try Collecting()
    let answer = collecting.send(
      "batch",
      #"{"api_key":"k-12345678","sent_at":"2026-11-20T10:15:31.020Z","batch":[{"event":"Welcome Viewed","distinct_id":"5F1C","uuid":"0193","timestamp":"2026-11-20T10:15:30.123Z","properties":{"variant":"B","$app_version":"5.2.0","$os_name":"iOS","$is_identified":false,"$device_id":"D"}},{"event":"b","distinct_id":"u","uuid":"0194","timestamp":"2026-11-20T10:15:30.123Z","properties":{"$device_id":"D","$ignore_sent_at":true}}]}"#
    )
    #expect(answer.status == 200 && answer.text == #"{"status":1}"#)
    let lines = try collecting.lines()
    #expect(lines[0].contains(#""subject":"D","app":"todo","id":"0193","props":{"#) && lines[0].contains(Self.sent))
    #expect(lines[1].contains(#""subject":"D","user":"u""#) && !lines[1].contains("sent_at"))
  }

  @Test func `a beacon of PostHog's page has its time from the query`() throws {
    let collecting = try Collecting()
    let event = #"[{"event":"a","properties":{"token":"k-12345678","distinct_id":"d"},"uuid":"1","offset":1000}]"#
    let body = "data=" + event.base64.replacing("+", with: "%2B").replacing("=", with: "%3D")
    let answer = collecting.send(
      "e", body, headers: ["Content-Type": "application/x-www-form-urlencoded"], query: "ip=0&_=1795169731020")
    #expect(answer.status == 200)
    #expect(try collecting.lines()[0].contains(#""ts":"2026-11-20T10:15:30.020Z","subject":"d""#))
  }

  @Test func `the newer interface of PostHog names each result`() throws {
    let collecting = try Collecting()
    let answer = collecting.send(
      "i/v1/analytics/events",
      #"{"created_at":"x","batch":[{"event":"a","uuid":"0193","distinct_id":"d","timestamp":"2026-11-20T10:15:30Z","options":{"disable_skew_correction":true},"properties":{}},{"event":"b","uuid":"0194","timestamp":"2026-11-20T10:15:30Z","properties":{}}]}"#,
      headers: ["Authorization": "Bearer \(Collecting.key)", "PostHog-Request-Timestamp": "2026-11-20T10:15:31Z"])
    #expect(answer.text == #"{"results":{"0193":{"result":"ok"},"0194":{"result":"drop","details":"missing_field"}}}"#)
    #expect(try !collecting.lines()[0].contains("sent_at"))
  }

  @Test func `an event of Amplitude becomes an event`() throws {
    let collecting = try Collecting()
    let body =
      #"{"api_key":"k-12345678","client_upload_time":"2026-11-20T10:15:31.020Z","events":[{"event_type":"Welcome Viewed","device_id":"5F1C","user_id":"u-17","time":1795169730123,"insert_id":"9b1e","event_properties":{"variant":"B"},"version_name":"5.2.0","os_name":"ios","os_version":"18.3","device_model":"iPhone16,2","language":"de-DE","platform":"iOS","session_id":1795169700000,"library":"amplitude-swift/1.18.6"},{"event_type":"$identify","user_id":"u-17","time":1795169730123}]}"#
    for path in ["2/httpapi", "batch"] {
      let answer = collecting.send(path, body)
      #expect(
        answer.text
          == #"{"code":200,"events_ingested":1,"payload_size_bytes":\#(body.utf8.count),"server_upload_time":\#(Collecting.now.milliseconds)}"#
      )
    }
    #expect(
      try collecting.lines()[0]
        == #"{"name":"welcome_viewed","ts":"2026-11-20T10:15:30.123Z","subject":"5F1C","user":"u-17","app":"todo","id":"9b1e","props":{"variant":"B"},"ctx":{"app_version":"5.2.0","device":"iPhone16,2","locale":"de-DE","os":"ios","os_version":"18.3"},"#
        + Self.sent + Self.received)
  }

  @Test func `an event of Mixpanel becomes an event`() throws {
    let collecting = try Collecting()
    let event =
      #"{"event":"Welcome Viewed","properties":{"token":"k-12345678","time":1795169730123,"distinct_id":"$device:5F1C","$device_id":"5F1C","$app_version_string":"5.2.0","$os":"iOS","variant":"B"},"$mp_metadata":{"$mp_event_id":"00a1b2c3d4e5f607"}}"#
    #expect(collecting.send("track", "[\(event)]").text == "1")
    let form = "data=\(event.base64.replacing("+", with: "%2B").replacing("=", with: "%3D"))&verbose=1&ip=0"
    #expect(collecting.send("track", form).text == #"{"status":1,"error":null}"#)
    let lines = "\(event)\n" + #"{"event":"b","properties":{"token":"k-12345678","$insert_id":"9b1e"}}"# + "\n"
    #expect(
      collecting.send("import", lines, query: "strict=1").text
        == #"{"code":200,"num_records_imported":1,"status":"OK","failed_records":[{"index":1,"insert_id":"9b1e","field":"properties","message":"missing_field"}]}"#
    )
    let written = try collecting.lines()
    #expect(Set(written).count == 1 && written.count == 3)
    #expect(
      written[0].contains(
        #""ts":"2026-11-20T10:15:30.123Z","subject":"5F1C","app":"todo","id":"00a1b2c3d4e5f607:1795169730123""#))
  }

  @Test func `payloads of Snowplow become events`() throws {
    let collecting = try Collecting()
    let event =
      #"{"schema":"iglu:com.snowplowanalytics.snowplow/unstruct_event/jsonschema/1-0-0","data":{"schema":"iglu:com.acme/signed_up/jsonschema/1-0-0","data":{"plan":"pro"}}}"#
    let contexts =
      #"{"schema":"iglu:com.snowplowanalytics.snowplow/contexts/jsonschema/1-0-0","data":[{"schema":"iglu:com.snowplowanalytics.snowplow/client_session/jsonschema/1-0-2","data":{"userId":"5F1C"}}]}"#
    let payload =
      #"{"e":"ue","eid":"9b1e","dtm":"1795169730123","stm":"1795169731020","aid":"k-12345678","uid":"u-17","ue_px":"\#(event.base64)","cx":"\#(contexts.base64)"}"#
    let body =
      #"{"schema":"iglu:com.snowplowanalytics.snowplow/payload_data/jsonschema/1-0-4","data":[\#(payload),{"e":"xx","eid":"1","dtm":"1795169730123","duid":"d"}]}"#
    #expect(collecting.send("com.snowplowanalytics.snowplow/tp2", body).text == "ok")
    let pixel = collecting.send(
      "i", method: "GET", query: "e=se&se_ac=Tap&se_va=2&eid=2&ttm=1795169730123&stm=1795169731020&duid=d&aid=k-12345678")
    #expect(pixel.header("Content-Type") == "image/gif" && pixel.text.hasPrefix("GIF89a"))
    let lines = try collecting.lines()
    #expect(
      lines[0]
        == #"{"name":"signed_up","ts":"2026-11-20T10:15:30.123Z","subject":"5F1C","user":"u-17","app":"todo","id":"9b1e","props":{"plan":"pro"},"#
        + Self.sent + Self.received)
    #expect(
      lines[1] == #"{"name":"tap","ts":"2026-11-20T10:15:30.123Z","subject":"d","app":"todo","id":"2","props":{"value":2},"#
        + Self.received)
    #expect(try collecting.lines("rejected/").count == 1)
  }

  @Test(
    arguments: [
      ("1795169731000", nil), ("1795169732000", nil), ("1795169733000", nil), ("1795169730000", "2026-11-20T10:15:30.000Z"),
      ("1795169731999", "2026-11-20T10:15:31.999Z"),
    ] as [(String, String?)])
  func `a time of sending that Snowplow's client cut corrects no clock that is right`(stm: String, sentAt: String?) throws {
    let collecting = try Collecting()
    let payload = #"{"e":"pv","eid":"1","dtm":"1795169730123","stm":"\#(stm)","aid":"k-12345678","duid":"d"}"#
    #expect(collecting.send("com.snowplowanalytics.snowplow/tp2", #"{"data":[\#(payload)]}"#).text == "ok")
    let line = try collecting.lines()[0]
    #expect(line.contains(#""ts":"2026-11-20T10:15:30.123Z""#))
    #expect(line.contains(#""sent_at":"\#(sentAt ?? "")""#) == (sentAt != nil))
  }

  @Test func `the installation of a resource is the subject before the account of a record`() throws {
    let collecting = try Collecting()
    let body =
      #"{"resourceLogs":[{"resource":{"attributes":[{"key":"app.installation.id","value":{"stringValue":"phone"}}]},"scopeLogs":[{"logRecords":[{"timeUnixNano":"1795169730123000000","eventName":"login","attributes":[{"key":"user.id","value":{"stringValue":"ann"}}]}]}]}]}"#
    let headers = ["Authorization": "Bearer \(Collecting.key)", "Content-Type": "application/json"]
    #expect(collecting.send("v1/logs", body, headers: headers).text == "{}")
    #expect(try collecting.lines()[0].contains(#""subject":"phone","user":"ann""#))
  }

  @Test(arguments: [
    (
      "batch",
      #"{"api_key":"k-12345678","batch":[{"event":"$create_alias","distinct_id":"account","uuid":"1","timestamp":"2026-11-20T10:15:30Z","properties":{"alias":"phone"}}]}"#
    ),
    (
      "track",
      #"[{"event":"$create_alias","properties":{"token":"k-12345678","distinct_id":"phone","alias":"account","time":1795169730,"$insert_id":"1"}}]"#
    ),
    (
      "v1/a",
      #"{"previousId":"phone","userId":"account","messageId":"1","timestamp":"2026-11-20T10:15:30Z","writeKey":"k-12345678"}"#
    ),
  ])
  func `an alias links the former id to the account, in the direction of each vendor`(path: String, body: String) throws {
    let collecting = try Collecting()
    #expect(collecting.send(path, body).status == 200)
    let lines = try collecting.lines()
    #expect(lines.count == 1 && lines[0].hasPrefix(#"{"name":"user_linked","#))
    #expect(lines[0].contains(#""subject":"phone","user":"account","app":"todo""#))
  }

  @Test func `logs of OpenTelemetry become events, in both encodings`() throws {
    let collecting = try Collecting()
    let body =
      #"{"resourceLogs":[{"resource":{"attributes":[{"key":"service.version","value":{"stringValue":"5.2.0"}},{"key":"os.name","value":{"stringValue":"iOS"}}]},"scopeLogs":[{"scope":{"name":"onboarding"},"logRecords":[{"timeUnixNano":"1795169730123000000","eventName":"welcome_viewed","attributes":[{"key":"app.installation.id","value":{"stringValue":"5F1C"}},{"key":"variant","value":{"stringValue":"B"}},{"key":"index","value":{"intValue":"3"}}]},{"observedTimeUnixNano":"1795169730123000000"}]}]}]}"#
    let headers = ["Authorization": "Bearer \(Collecting.key)", "Content-Type": "application/json"]
    #expect(
      collecting.send("v1/logs", body, headers: headers).text
        == #"{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"missing_field"}}"#)
    func string(_ text: String, _ field: UInt64) -> [UInt8] { ProtobufMessage.bytes(Array(text.utf8), field: field) }
    func attribute(_ key: String, _ value: [UInt8], _ field: UInt64) -> [UInt8] {
      ProtobufMessage.bytes(string(key, 1) + ProtobufMessage.bytes(value, field: 2), field: field)
    }
    var record: [UInt8] = [0x09]  // time_unix_nano, a fixed64
    record += withUnsafeBytes(of: UInt64(1_795_169_730_123_000_000).littleEndian) { Array($0) }
    record += string("welcome_viewed", 12) + attribute("app.installation.id", string("5F1C", 1), 6)
    record += attribute("variant", string("B", 1), 6) + attribute("index", ProtobufMessage.number(3, field: 3), 6)
    let resource = attribute("service.version", string("5.2.0", 1), 1) + attribute("os.name", string("iOS", 1), 1)
    let request = ProtobufMessage.bytes(
      ProtobufMessage.bytes(resource, field: 1) + ProtobufMessage.bytes(ProtobufMessage.bytes(record, field: 2), field: 2),
      field: 1)
    let protobuf = ["Authorization": "Bearer \(Collecting.key)", "Content-Type": "application/x-protobuf"]
    let answer = collecting.send("v1/logs", bytes: request, headers: protobuf)
    #expect(answer.status == 200 && answer.body.isEmpty && answer.header("Content-Type") == "application/x-protobuf")
    #expect(collecting.send("v1/logs", bytes: Array(request.dropLast()), headers: protobuf).status == 400)
    let lines = try collecting.lines()
    #expect(lines.count == 2 && lines[0] == lines[1])
    #expect(
      lines[0].contains(#""subject":"5F1C","app":"todo","#)
        && lines[0].contains(#""props":{"index":3,"variant":"B"},"ctx":{"app_version":"5.2.0","os":"iOS"}"#))
  }
}

extension String {
  /// The text in base64.
  fileprivate var base64: String { Foundation.Data(utf8).base64EncodedString() }
}
