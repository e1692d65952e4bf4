import FunnelDecoding
import FunnelIngest
import FunnelModel
import Testing

/// Every reason to reject a line, with its exact message.
@Suite struct RejectMessageTests {
  @Test(arguments: [
    ("{", "invalid_json: column 2: a key in double quotes is missing here"),
    (#"{"a":1,}"#, "invalid_json: column 8: a key in double quotes is missing here"),
    (#"{"a":NaN}"#, "invalid_json: column 6: no JSON value starts like this"),
    (#"{"a":[1,]}"#, "invalid_json: column 9: no JSON value starts like this"),
    (#"{"a":01}"#, "invalid_json: column 8: a number has a leading zero"),
    (#"{"a":1}{"b":2}"#, "invalid_json: column 8: there is text after the end of the value"),
    (#"{"a":"b"#, "invalid_json: column 8: a string is not closed"),
    ("{\"a\":\"\t\"}", "invalid_json: column 7: a control character in a string is not escaped"),
    (#"{"a":1,"b":2,"a":3}"#, "invalid_json: column 14: the key \"a\" appears twice"),
    (#"{"a":1,"\u0061":3}"#, "invalid_json: column 8: the key \"a\" appears twice"),
    (#"{"a":[{"b":{"c":1,"c":1}}]}"#, "invalid_json: column 19: the key \"c\" appears twice"),
    (#"{"a":"\ud83d"}"#, "invalid_json: column 13: half of a surrogate pair is missing"),
    (#"{"a":"\ude00"}"#, "invalid_json: column 13: half of a surrogate pair is missing"),
    (#"{"a":"\ud83d\u0041"}"#, "invalid_json: column 19: half of a surrogate pair is missing"),
    (#"{"\ud83dx":1}"#, "invalid_json: column 9: half of a surrogate pair is missing"),
    ("nothing", "invalid_json: column 1: no JSON value starts like this"),
    ("[1,2]", "not_an_object: the line is JSON, but not an object; jq -c '.[]' makes a line of each element"),
    ("{\0\"\0", "invalid_json: column 2: a zero byte; if the file is UTF-16, convert it with: iconv -f utf-16 -t utf-8"),
    ("\"a\"", "not_an_object: the line is JSON, but not an object"),
    ("12", "not_an_object: the line is JSON, but not an object"),
    ("null", "not_an_object: the line is JSON, but not an object"),
    ("{}", "missing_field: name is missing: every event has one"),
  ])
  func `a line that is no object is refused with the place of the mistake`(line: String, outcome: String) {
    #expect(Decoded(line).outcome == outcome)
  }

  @Test(
    arguments: [
      [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC3],
    ] as [[UInt8]])
  func `a line that is not UTF-8 is refused as such`(bytes: [UInt8]) {
    let line = Array(#"{"name":"opened","subject":"s"#.utf8) + bytes + Array(#"","app":"cleaner","ts":0}"#.utf8)
    let decoded = Decoded(line)
    #expect(decoded.outcome == "invalid_utf8: the line is not UTF-8")
    #expect(decoded.letters.first?.raw == line)
  }

  @Test(
    arguments: [
      (["name": ""], "missing_field: name is missing: every event has one"),
      (["ts": ""], "missing_field: ts is missing: when did it happen?"),
      (["subject": ""], "missing_field: subject is missing: a pseudonymous install or user id"),
      (["app": ""], "missing_field: app is missing: add it, or give --app"),
      (["name": #""step_viewed""#], "missing_field: step is missing: step_viewed needs a step id"),
      (["name": #""step_ *""#], "missing_field: step is missing: a step event needs a step id"),
      (
        ["name": #""Opened""#],
        "invalid_field: name must be a lower-case letter and then up to 99 lower-case letters, digits and underscores"
      ),
      (
        ["step": #""2nd""#],
        "invalid_field: step must be a lower-case letter and then up to 99 lower-case letters, digits and underscores"
      ),
      (["app": "null"], "invalid_field: app is null; it must be a string"),
      (["flow": "[]"], "invalid_field: flow is an array; it must be a string"),
      (["name": "1"], "invalid_field: name is a number; it must be a string"),
      (["subject": "true"], "invalid_field: subject is a boolean; it must be a string"),
      (["attempt": "{}"], "invalid_field: attempt is an object; it must be a string"),
      (["id": #""""#], "invalid_field: id is empty"),
      (["subject": #""""#], "invalid_field: subject is empty"),
      (["subject": Line.text(129)], "invalid_field: subject has 129 bytes; 128 are allowed"),
      (["subject": #""a\u0000b""#], "invalid_field: subject contains a control character"),
      (["flow_version": "0"], "invalid_field: flow_version must be a whole number, 1 or more"),
      (["seq": "-1"], "invalid_field: seq must be a whole number, 0 or more"),
      (["seq": "1.5"], "invalid_field: seq must be a whole number, 0 or more"),
      (["seq": #""1""#], "invalid_field: seq must be a whole number, 0 or more"),
      (["props": "[]"], "invalid_field: props is an array; it must be an object"),
      (["ctx": "null"], "invalid_field: ctx is null; it must be an object"),
      (["props": #"{"a":{"b":1}}"#], "invalid_field: props.a is an object; it must be a string, a number, a boolean or null"),
      (["ctx": #"{"a":[1]}"#], "invalid_field: ctx.a is an array; it must be a string, a number, a boolean or null"),
      (["extra": "[1]"], "invalid_field: extra is an array and not a field of the envelope; put scalars under props"),
      (["extra": "123456789012345678901"], "invalid_field: a number is too large for 64 bits"),
      (["extra": "1e999"], "invalid_field: a number is too large for 64 bits"),
      (["v": "2"], "unsupported_version: v is 2; this version of funnel reads envelope version 1"),
      (["v": "0"], "unsupported_version: v is 0; this version of funnel reads envelope version 1"),
      (["v": #""1""#], "invalid_field: v is a string; it must be the number 1, or be left out"),
      (
        ["ts": #""2026-11-20""#],
        "invalid_field: ts is not an RFC 3339 date and time with an offset, such as 2026-11-20T10:15:30.123Z"
      ),
      (
        ["sent_at": #""yesterday""#],
        "invalid_field: sent_at is not an RFC 3339 date and time with an offset, such as 2026-11-20T10:15:30.123Z"
      ),
      (
        ["received_at": "1.5"],
        "invalid_field: received_at is a number; it must be an RFC 3339 date and time, or whole milliseconds since 1970"
      ),
      (["received_at": "999999999999999"], "invalid_field: received_at is not within the years 0000 to 9999"),
      (
        ["ts": "1795168800000000"],
        "timestamp_out_of_range: ts is not within the years 0000 to 9999; a whole number is milliseconds, not microseconds"
      ),
      (
        ["ts": "1795168800000000000"],
        "timestamp_out_of_range: ts is not within the years 0000 to 9999; a whole number is milliseconds, not nanoseconds"
      ),
      (["ts": "-999999999999999"], "timestamp_out_of_range: ts is not within the years 0000 to 9999"),
      (["ts": "9223372036854775808"], "timestamp_out_of_range: ts is not within the years 0000 to 9999"),
      (["ts": "123456789012345678901"], "timestamp_out_of_range: ts is too large for a date"),
      (["ts": "1167609599999"], "timestamp_out_of_range: ts is before 2007-01-01"),
      (
        ["ts": #""2026-11-22T12:00:00.001Z""#],
        "timestamp_out_of_range: ts is more than 24 hours after the clock (2026-11-21T12:00:00.000Z)"
      ),
      (["props": #"{"email":"x"}"#], "personal_data: props.email is on the list of personal data; do not log it"),
      (["ctx": #"{"ip":"203.0.113.77"}"#], "personal_data: ctx.ip is on the list of personal data; do not log it"),
      (["latitude": "52.5"], "personal_data: latitude is on the list of personal data; do not log it"),
      (["props": #"{"note":"ann@example.org"}"#], "personal_data: props.note is an e-mail address; do not log it"),
      (["ctx": #"{"to":"+4915112345678"}"#], "personal_data: ctx.to is a phone number; do not log it"),
      (
        ["subject": #""ann@example.org""#],
        "personal_data: subject is an e-mail address; use a pseudonymous id, or keep pseudonyms alone with --pseudonymize"
      ),
      (["attempt": #""+4915112345678""#], "personal_data: attempt is a phone number; use a pseudonymous id"),
      (
        ["id": #""ann@example.org""#],
        "personal_data: id is an e-mail address; use a pseudonymous id, or keep pseudonyms alone with --pseudonymize"
      ),
      (
        ["name": #""perm_flow_start""#, "props": #"{"trigger":"boredom"}"#],
        #"invalid_field: props.trigger must be one of "first_launch", "incomplete", "feature_flag", not "boredom""#
      ),
    ] as [([String: String], String)])
  func `a field that is missing or wrong is named`(changes: [String: String], outcome: String) {
    #expect(Decoded(Line.with(changes)).outcome == outcome)
  }

  @Test func `the first check that fails gives the reason: version, personal data, missing, invalid, range`() {
    var changes = ["v": "2", "props": #"{"email":"x"}"#, "subject": "", "seq": "-1", "ts": "0"]
    #expect(Decoded(Line.with(changes)).letters[0].reason == .unsupportedVersion)
    changes["v"] = "1"
    #expect(Decoded(Line.with(changes)).letters[0].reason == .personalData)
    changes["props"] = "{}"
    #expect(Decoded(Line.with(changes)).letters[0].reason == .missingField)
    changes["subject"] = #""s""#
    #expect(Decoded(Line.with(changes)).letters[0].reason == .invalidField)
    changes["seq"] = "1"
    #expect(Decoded(Line.with(changes)).letters[0].reason == .timestampOutOfRange)
    changes["ts"] = "1763600000000"
    #expect(Decoded(Line.with(changes)).outcome == "accepted")
  }

  @Test func `a byte order mark inside the text is named, it comes from files glued together`() {
    let decoded = Decoded(Line.with([:]) + "\n\u{FEFF}" + Line.with(["id": #""2""#]))
    #expect(decoded.records.count == 1)
    #expect(decoded.letters.map(\.reason) == [.invalidJSON])
    #expect(decoded.letters.map(\.message) == ["column 1: a byte order mark, which is allowed only at the beginning of a file"])
  }

  @Test func `a message stays short however long a key is`() {
    let key = String(repeating: "k", count: 5000)
    let cut = String(repeating: "k", count: 120) + "…"
    #expect(
      Decoded(Line.with([key: "[]"])).outcome
        == "invalid_field: \(cut) is an array and not a field of the envelope; put scalars under props")
    #expect(
      Decoded(Line.with(["ctx": "{\"\(key)\":{}}"])).outcome
        == "invalid_field: ctx.\(cut) is an object; it must be a string, a number, a boolean or null")
    #expect(
      Decoded(Line.with(["props": "{\"\(key)\":\"a@b.cc\"}"])).outcome
        == "personal_data: props.\(cut) is an e-mail address; do not log it")
    #expect(Decoded("{\"\(key)\":1,\"\(key)\":2}").letters[0].message.count < 250)
  }
}
