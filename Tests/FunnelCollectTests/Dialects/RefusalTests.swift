import FunnelDecoding
import FunnelModel
import Testing

@testable import FunnelCollect

/// Requests that are refused, and what clients ask beside events.
@Suite struct RefusalTests {
  private static func common(_ status: Int, _ message: String) -> String {
    #"{"code":\#(status),"status":0,"error":"\#(message)","message":"\#(message)","detail":"\#(message)"}"# + "\n"
  }

  @Test(arguments: [
    ("v1/events", "{}"), ("v1/batch", #"{"batch":[],"writeKey":"wrong"}"#), ("2/httpapi", #"{"events":[],"api_key":"wrong"}"#),
    ("batch", #"{"batch":[],"api_key":"wrong"}"#), ("track", "[]"), ("v1/track", "{}"),
  ])
  func `an unknown key is 401 and keeps nothing`(path: String, body: String) throws {
    let collecting = try Collecting()
    let answer = collecting.send(path, body)
    let message = path == "v1/batch" ? "invalid write key" : "unknown API key"
    #expect(answer.status == 401 && answer.text == Self.common(401, message))
    #expect(answer.header("WWW-Authenticate") == (path == "v1/events" ? "Bearer" : nil))
    #expect(try collecting.lines().isEmpty)
  }

  @Test(arguments: [
    "", "{", #"{"batch":[{},]}"#, #"{"batch":[{"a":1]}"#, #"{"batch":7}"#, "[]", #""text""#, #"{"batch":[]} x"#,
  ])
  func `a body that is no batch is 400`(body: String) throws {
    let collecting = try Collecting()
    let answer = collecting.send("v1/batch", body, headers: ["Authorization": "Bearer \(Collecting.key)"])
    #expect(answer.status == 400)
    #expect(try collecting.lines().isEmpty && collecting.lines("rejected/").isEmpty)
  }

  @Test func `a record that is no JSON is a dead letter, and the others are taken`() throws {
    let collecting = try Collecting()
    let good = #"{"type":"track","event":"a","anonymousId":"d","messageId":"m","timestamp":"2026-11-20T10:00:00Z"}"#
    let bad = [
      #"{"type":"track","event":"a","anonymousId":"d","timestamp":"2026-11-20T10:00:00Z","properties":{"x":NaN}}"#,
      #"{"event":"\ud800"}"#, #"{"event":"a","event":"b"}"#, "7", "null", "{\"event\":\"a\nb\"}",
    ]
    let answer = collecting.send(
      "v1/batch", #"{"batch":[\#(bad.joined(separator: ",")),\#(good)],"writeKey":"k-12345678"}"#)
    #expect(answer.status == 200)
    #expect(try collecting.lines().count == 1)
    let letters = try collecting.lines("rejected/")
    #expect(letters.count == bad.count)
    #expect(letters.allSatisfy { !$0.contains("$envelope") && !$0.contains("truncated") })
  }

  @Test(arguments: ["app", #"\u0061pp"#])
  func `a dead letter has the app of the key, so that a retry does not believe the record`(member: String) throws {
    let collecting = try Collecting()
    let claims = [#""other""#, "7", #""todo""#].map { #"{"\#(member)":\#($0),"name":"a","ts":"2026-11-20T10:15:30Z"}"# }
    let answer = collecting.send(
      "v1/events", claims.joined(separator: "\n"), headers: ["Authorization": "Bearer \(Collecting.key)"])
    #expect(answer.status == 200)
    let letters = try collecting.lines("rejected/").compactMap { DeadLetter.parse(Array($0.utf8))?.letter }
    #expect(letters.map(\.reason) == [.missingField, .missingField, .missingField])
    let raw = #"{"\#(member)":"todo","name":"a","ts":"2026-11-20T10:15:30Z"}"#
    #expect(letters.map { String(decoding: $0.raw, as: UTF8.self) } == [raw, raw, raw])
    #expect(letters.allSatisfy { $0.isReplayable })
  }

  @Test func `personal data is masked before it reaches the disk`() throws {
    let collecting = try Collecting()
    let event =
      #"{"name":"a","ts":"2026-11-20T10:15:30Z","subject":"s","props":{"email":"ann@example.org","plan":"pro"}}"#
    let answer = collecting.send("v1/events", event, headers: ["Authorization": "Bearer \(Collecting.key)"])
    #expect(answer.text.contains("personal_data"))
    let letters = try collecting.lines("rejected/")
    #expect(letters.count == 1 && !letters[0].contains("ann@") && letters[0].contains("pro"))
  }

  @Test(arguments: [false, true])
  func `ids may be personal data if the ingest replaces them by pseudonyms`(awaitsPseudonyms: Bool) throws {
    let collecting = try Collecting(awaitsPseudonyms: awaitsPseudonyms)
    let headers = ["Authorization": "Bearer \(Collecting.key)"]
    let native = ["subject", "user", "id"].map { key in
      let members = ["subject": "s", "user": "u", "id": "1"].merging([key: "ann@example.org"]) { $1 }
      let ids = members.sorted { $0.key < $1.key }.map { #""\#($0.key)":"\#($0.value)""# }.joined(separator: ",")
      return #"{"name":"a","ts":"2026-11-20T10:15:30Z",\#(ids)}"#
    }
    #expect(collecting.send("v1/events", native.joined(separator: "\n"), headers: headers).status == 200)
    let record =
      #"{"type":"track","event":"a","anonymousId":"ann@example.org","messageId":"1","timestamp":"2026-11-20T10:15:30Z"}"#
    #expect(collecting.send("v1/batch", #"{"batch":[\#(record)]}"#, headers: headers).status == 200)
    // Only pseudonyms of IDs are kept, not of other values.
    let other = #"{"name":"a","ts":"2026-11-20T10:15:30Z","subject":"s","props":{"invited":"bob@example.org"}}"#
    #expect(collecting.send("v1/events", other, headers: headers).text.contains("personal_data"))
    let lines = try collecting.lines()
    #expect(lines.count == (awaitsPseudonyms ? 4 : 0) && lines.allSatisfy { $0.contains("ann@example.org") })
    let letters = try collecting.lines("rejected/")
    #expect(letters.count == (awaitsPseudonyms ? 1 : 5) && !letters.contains { $0.contains("@example.org") })
  }

  @Test(arguments: [
    #"{"name":"x","ts":1,"subject":"u","props":{"email":"ann@example.org","password":"hunter2","plan":"pro","a":NaN}}"#,
    #"{"name":"x","email":{"name":"hunter2","of":["ann@example.org"]},"plan":"pro""#,
    #"{"app":NaN,"name":"x","ts":1,"subject":"u","props":{"email":"ann@example.org","password":"hunter2","plan":"pro"}}"#,
    "hello ann@example.org, pro and hunter2 {\"password\": hunter2}",
  ])
  func `personal data is masked in a text that is no JSON`(line: String) throws {
    let collecting = try Collecting()
    let answer = collecting.send("v1/events", line, headers: ["Authorization": "Bearer \(Collecting.key)"])
    #expect(answer.text.contains("invalid_json"))
    let letters = try collecting.lines("rejected/")
    #expect(
      letters.count == 1 && !letters[0].contains("ann@") && letters[0].contains("pro") && letters[0].contains(#""masked":true"#)
    )
    if !line.hasPrefix("hello") { #expect(!letters[0].contains("hunter2")) }
  }

  @Test func `of a binary body nothing is kept, and of no record the key`() throws {
    let collecting = try Collecting()
    let key = ["Authorization": "Bearer \(Collecting.key)"]
    #expect(collecting.send("v1/events", bytes: [0x1F, 0x8B, 0, 1, 2, 0x0A], headers: key).status == 200)
    #expect(collecting.send("track", #"[{"event":"a","properties":{"token":"k-12345678","x":NaN}}]"#).text == "1")
    #expect(collecting.send("track", #"[{"event":"a","properties":{"token":"k-12345678"}}]"#).text == "1")
    let letters = try collecting.lines("rejected/")
    #expect(letters.count == 3 && letters.allSatisfy { !$0.contains(Collecting.key) })
    #expect(letters[0].contains(#""raw":"""#))
  }

  @Test func `paths and methods`() throws {
    let collecting = try Collecting()
    #expect(collecting.send("nowhere").status == 404)
    let answer = collecting.send("v1/events", method: "GET")
    #expect(answer.status == 405 && answer.header("Allow") == "POST, OPTIONS")
    #expect(collecting.send("healthz", method: "GET").text == "ok\n")
    #expect(collecting.send("metrics", method: "GET").text.contains("# TYPE funnel_collect_received_bytes_total counter"))
  }

  @Test func `what clients ask beside events`() throws {
    let collecting = try Collecting()
    #expect(
      collecting.send("v1/projects/\(Collecting.key)/settings", method: "GET").text
        == #"{"integrations":{"Segment.io":{"apiKey":"k-12345678","httpConfig":{"rateLimitConfig":{},"backoffConfig":{}}}}}"#)
    #expect(collecting.send("v1/projects/wrong/settings", method: "GET").status == 404)
    let source = collecting.send("sourceConfig", method: "GET", query: "p=ios&v=1&writeKey=k-12345678")
    #expect(source.status == 200 && source.text.contains(#""id":"todo","name":"todo","writeKey":"k-12345678","enabled":true"#))
    let unknown = collecting.send("sourceConfig", method: "GET")
    #expect(unknown.status == 401 && unknown.text.contains("invalid write key"))
    #expect(collecting.send("flags", "{}").text == #"{"flags":{},"featureFlags":{},"errorsWhileComputingFlags":false}"#)
    #expect(collecting.send("s", "x").text == #"{"status":1}"#)
    #expect(collecting.send("engage", "data=e30%3D").text == "1")
    #expect(collecting.send("groups", "data=e30%3D&verbose=1").text == #"{"status":1,"error":null}"#)
  }

  @Test func `a page of an allowed origin may send events, another one may not read the answers`() throws {
    let collecting = try Collecting(origins: ["https://app.example.org"])
    let allowed = ["Origin": "https://app.example.org", "Access-Control-Request-Headers": "content-type"]
    let answer = collecting.send("e", method: "OPTIONS", headers: allowed)
    #expect(answer.status == 204 && answer.header("Access-Control-Allow-Methods") == "POST, GET, OPTIONS")
    #expect(answer.header("Access-Control-Allow-Headers") == "content-type")
    #expect(answer.header("Access-Control-Allow-Origin") == "https://app.example.org" && answer.header("Vary") == "Origin")
    #expect(collecting.send("v1/batch", "{}", headers: allowed).header("Access-Control-Allow-Origin") != nil)
    #expect(collecting.send("nowhere", headers: allowed).header("Access-Control-Allow-Origin") != nil)
    for headers in [[:], ["Origin": "https://evil.example.org"]] {
      let answer = collecting.send("e", method: "OPTIONS", headers: headers)
      #expect(answer.status == 204 && answer.headers.allSatisfy { !$0.name.hasPrefix("Access-Control") })
    }
  }

  @Test func `a full spool is 503, with the pause that each client obeys`() throws {
    let collecting = try Collecting(limitBytes: 1)
    let event = #"{"name":"a","ts":"2026-11-20T10:15:30Z","subject":"s"}"#
    let answer = collecting.send("v1/events", event, headers: ["Authorization": "Bearer \(Collecting.key)"])
    #expect(answer.status == 503 && answer.header("Retry-After") == "10")
    let batch =
      #"{"api_key":"k-12345678","batch":[{"event":"b","distinct_id":"u","timestamp":"2026-11-20T10:15:30.123Z","properties":{}}]}"#
    #expect(collecting.send("batch", batch).header("Retry-After") == "60")
    #expect(try collecting.lines().isEmpty)
  }

  @Test func `empty batches are taken`() throws {
    let collecting = try Collecting()
    let key = ["Authorization": "Bearer \(Collecting.key)"]
    #expect(collecting.send("v1/events", "", headers: key).text == "{\"accepted\":0,\"rejected\":[]}\n")
    #expect(collecting.send("v1/batch", #"{"batch":[]}"#, headers: key).status == 200)
    #expect(collecting.send("track", "[]", headers: key).text == "1")
  }
}
