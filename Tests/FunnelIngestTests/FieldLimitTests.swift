import FunnelDecoding
import FunnelModel
import Testing

/// Values at the limits of fields are accepted, values just beyond them are not.
@Suite struct FieldLimitTests {
  @Test(arguments: ["name", "app", "flow", "step"])
  func `a name is a lower-case letter and up to 99 letters, digits and underscores`(field: String) {
    for good in ["a", "a1_", "z" + String(repeating: "_", count: 99)] {
      #expect(Decoded(Line.with([field: "\"\(good)\""])).outcome == "accepted", "\(good)")
    }
    for bad in ["", "1a", "_a", "aB", "a-b", "a b", "ä", "a\\u0000", "z" + String(repeating: "_", count: 100)] {
      #expect(Decoded(Line.with([field: "\"\(bad)\""])).letters.first?.reason == .invalidField, "\(bad)")
    }
  }

  @Test(arguments: ["subject", "user", "attempt", "id"])
  func `an identifier has up to 128 bytes of UTF-8`(field: String) {
    let wide = String(repeating: "ü", count: 64)
    for good in ["x", "x y", "日本", String(repeating: "x", count: 128), wide, #"\"\\\/"#] {
      #expect(Decoded(Line.with([field: "\"\(good)\""])).outcome == "accepted", "\(good)")
    }
    for bad in [String(repeating: "x", count: 129), wide + "x"] {
      #expect(Decoded(Line.with([field: "\"\(bad)\""])).outcome == "invalid_field: \(field) has 129 bytes; 128 are allowed")
    }
  }

  @Test func `an attempt may be empty, a subject, a user and an id may not`() {
    #expect(Decoded(Line.with(["attempt": "\"\""])).outcome == "accepted")
    #expect(Decoded(Line.with(["subject": "\"\""])).outcome == "invalid_field: subject is empty")
    #expect(Decoded(Line.with(["user": "\"\""])).outcome == "invalid_field: user is empty")
    #expect(Decoded(Line.with(["id": "\"\""])).outcome == "invalid_field: id is empty")
  }

  @Test(arguments: [0x00, 0x01, 0x09, 0x0A, 0x0D, 0x1F, 0x7F, 0x80, 0x85, 0x9F])
  func `a subject or a user has no control character, escaped or as it is`(code: Int) throws {
    let hexadecimal = String(code, radix: 16)
    let escaped = "\\u" + String(repeating: "0", count: 4 - hexadecimal.count) + hexadecimal
    let scalar = try #require(Unicode.Scalar(code))
    for field in ["subject", "user"] {
      let outcome = "invalid_field: \(field) contains a control character"
      #expect(Decoded(Line.with([field: "\"a\(escaped)\""])).outcome == outcome)
      guard code >= 0x20 else { continue }
      #expect(Decoded(Line.with([field: "\"a\(scalar)\""])).outcome == outcome)
    }
  }

  @Test func `characters next to the control characters are fine`() {
    for scalar in ["\u{20}", "\u{7E}", "\u{A0}", "\u{C2}", "\u{80C}", "\u{2028}"] {
      #expect(Decoded(Line.with(["subject": "\"a\(scalar)\""])).outcome == "accepted", "\(scalar)")
    }
  }

  @Test func `whole numbers go up to 64 bits, also written as 2.0 or 2e0`() {
    for number in ["0", "2.0", "2e0", "9223372036854775807", "-0"] {
      #expect(Decoded(Line.with(["seq": number])).outcome == "accepted", "\(number)")
    }
    for number in ["9223372036854775808", "18446744073709551615", "1e19", "2.5"] {
      #expect(Decoded(Line.with(["seq": number])).letters.first?.reason == .invalidField, "\(number)")
    }
    #expect(Decoded(Line.with(["flow_version": "1"])).outcome == "accepted")
    #expect(Decoded(Line.with(["v": "1.0"])).outcome == "accepted")
  }

  @Test func `unknown scalars go under props, and what props says itself stays`() {
    let line = Line.with(["screen": #""Home""#, "count": "2", "flag": "true", "none": "null", "props": #"{"count":1,"a":0}"#])
    #expect(Decoded(line).records[0].contains(#""props":{"a":0,"count":1,"flag":true,"none":null,"screen":"Home"}"#))
  }

  @Test func `an object has up to 1024 keys, props with what is added to it too`() {
    func members(_ count: Int, _ prefix: String) -> String { (0..<count).map { "\"\(prefix)\($0)\":1" }.joined(separator: ",") }
    #expect(Decoded(Line.with(["props": "{\(members(1024, "p"))}"])).outcome == "accepted")
    let tooMany = "invalid_field: an object has more than 1024 keys"
    #expect(Decoded(Line.with(["props": "{\(members(1025, "p"))}"])).outcome == tooMany)
    let base = Line.with([:]).dropLast()
    #expect(Decoded("\(base),\(members(1020, "u"))}").outcome == "accepted")
    #expect(Decoded("\(base),\(members(1021, "u"))}").outcome == tooMany)
    // The same limit holds when the stored record is read.
    let sum = Decoded("\(base),\(members(24, "u")),\"props\":{\(members(1000, "p"))}}")
    #expect(sum.outcome == "accepted")
    #expect(Decoded(sum.records[0], isTrusted: true).records == sum.records)
    #expect(Decoded("\(base),\(members(25, "u")),\"props\":{\(members(1000, "p"))}}").outcome == tooMany)
  }

  @Test func `values may be nested 64 levels deep before the line counts as no JSON`() {
    func nested(_ levels: Int) -> String { String(repeating: "[", count: levels) + String(repeating: "]", count: levels) }
    let nestedValue = "invalid_field: extra is an array and not a field of the envelope; put scalars under props"
    #expect(Decoded(Line.with(["extra": nested(63)])).outcome == nestedValue)
    #expect(Decoded(Line.with(["extra": nested(64)])).outcome == "invalid_json: nested deeper than 64 levels")
    #expect(Decoded(Line.with(["extra": nested(5000)])).outcome == "invalid_json: nested deeper than 64 levels")
    #expect(
      Decoded(nested(64)).outcome
        == "not_an_object: the line is JSON, but not an object; jq -c '.[]' makes a line of each element")
  }
}
