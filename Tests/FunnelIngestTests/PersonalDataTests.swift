import Foundation
import FunnelDecoding
import FunnelIngest
import FunnelModel
import FunnelSchemas
import Testing

/// Personal data is rejected, masked before it is stored, and never repeated in a message.
@Suite struct PersonalDataTests {
  private func letter(_ changes: [String: String]) throws -> (message: String, raw: String, isMasked: Bool, isReplayable: Bool)
  {
    let letter = try #require(Decoded(Line.with(changes)).letters.first)
    return (letter.message, String(decoding: letter.raw, as: UTF8.self), letter.isMasked, letter.isReplayable)
  }

  @Test func `every key of the list is refused in props, in ctx and beside them, however it is spelt`() {
    for key in BuiltInSchemas.privacy.keys.map(\.key) {
      for spelling in [key, key.uppercased(), key.replacing("_", with: "-"), key.replacing("_", with: "")] {
        for changes in [["props": "{\"\(spelling)\":\"x\"}"], ["ctx": "{\"\(spelling)\":1}"], [spelling: "true"]] {
          #expect(Decoded(Line.with(changes)).letters.first?.reason == .personalData, "\(spelling)")
        }
        for changes in [["props": "{\"\(spelling)\":null}"], ["ctx": "{\"\(spelling)\":null}"], [spelling: "null"]] {
          #expect(Decoded(Line.with(changes)).outcome == "accepted", "\(spelling)")
        }
      }
    }
  }

  @Test(arguments: [
    "ann@example.org", "Ann.B+x@mail.example.co", "a@b.cc", "ann@exämple.org", "+4915112345678", "+1234567", "+123456789012345",
    "see ann@example.org", "mailto:ann@example.org", "+49 (30) 123-4567", "call +49 30 1234567 now", "tel:+1(415)555-2671",
    "tel:4155552671", "sms:030 1234567",
  ])
  func `a value that is or holds an address or a number is refused under any key, and masked`(value: String) throws {
    let places: [[String: String]] = [
      ["props": "{\"note\":\"\(value)\",\"kept\":1}"], ["ctx": "{\"note\":\"\(value)\"}"], ["note": "\"\(value)\""],
      ["subject": "\"\(value)\""], ["user": "\"\(value)\""], ["attempt": "\"\(value)\""], ["id": "\"\(value)\""],
    ]
    for changes in places {
      let letter = try letter(changes)
      #expect(Decoded(Line.with(changes)).letters.first?.reason == .personalData)
      #expect(letter.isMasked && !letter.isReplayable)
      #expect(!letter.raw.contains(value) && letter.raw.contains("\"***\""), "\(letter.raw)")
      #expect(!letter.message.contains(value), "\(letter.message)")
    }
  }

  @Test(arguments: [
    "ann@example", "@example.org", "ann@", "icon@2x.png", "+0491511234567", "+123456", "+1234567890123456", "4915112345678",
    "user@localhost", "2026-11-20T10:15:30+01:00", "1.2.3+20261120", "tel:112", "hotel:4155552671", "a*b;c:d",
  ])
  func `what only looks a little like one is no personal data`(value: String) {
    #expect(Decoded(Line.with(["props": "{\"note\":\"\(value)\"}", "attempt": "\"\(value)\""])).outcome == "accepted")
  }

  @Test func `everything personal in a line is masked, at any depth, and the rest is as it was`() throws {
    let letter = try letter([
      "props": #"{"email":"x","a":1.50,"n":null,"note":"ann@example.org","phone":4915112345678,"dob":false,"ip":null}"#,
      "extra": #"{"deep":[{"contact":{"to":"+4915112345678","ssid":["home",{"a":1}]}},true],"home":{"networks":["x"]}}"#,
    ])
    #expect(
      letter.raw
        == #"{"app":"cleaner","extra":{"deep":[{"contact":{"to":"***","ssid":["***",{"a":"***"}]}},true],"home":{"networks":["***"]}},"name":"opened","#
        + #""props":{"email":"***","a":1.50,"n":null,"note":"***","phone":"***","dob":"***","ip":null},"subject":"s1","ts":"2026-11-20T10:00:00Z"}"#
    )
  }

  @Test func `a line refused for another reason is masked all the same`() throws {
    for changes in [
      ["v": "2", "props": #"{"email":"ann@example.org"}"#], ["app": "", "user": #"{"mail":"ann@example.org"}"#],
      ["name": #""ann@example.org""#], ["ts": #""+4915112345678""#],
    ] {
      let letter = try letter(changes)
      #expect(letter.isMasked)
      #expect(!letter.raw.contains("example.org") && !letter.raw.contains("+49"), "\(letter.raw)")
      #expect(!letter.message.contains("example.org") && !letter.message.contains("+49"), "\(letter.message)")
    }
  }

  @Test func `a whole line at the end of a damaged file is masked like any other`() throws {
    let line = Line.with(["props": #"{"email":"ann@example.org"}"#])
    let decoded = try GzipInput.decode(GzipInput.compress(line, cutAfter: line.utf8.count))
    let letter = try #require(decoded.letters.first)
    #expect(letter.reason == .damagedGzip)
    #expect(letter.isMasked)
    #expect(!String(decoding: letter.raw, as: UTF8.self).contains("ann@"))
  }

  @Test func `of a key that holds a listed one, the message names both`() throws {
    let long = try letter(["props": #"{"suggestedContactName":"Private Ann"}"#])
    #expect(
      long.message
        == "props.suggestedContactName contains \"contact_name\", which is on the list of personal data; do not log it")
    #expect(long.raw.contains(#"{"suggestedContactName":"***"}"#) && long.isMasked)
    #expect(
      try letter(["ctx": #"{"SSIDs":"Private Home"}"#]).message
        == "ctx.SSIDs contains \"ssid\", which is on the list of personal data; do not log it")
    #expect(
      try letter(["ctx": #"{"contact.name":"Private Ann"}"#]).message
        == "ctx.contact.name is on the list of personal data; do not log it")
  }

  @Test func `of a value that holds more than an address or a number, the message says so`() throws {
    #expect(
      try letter(["props": #"{"note":"mail ann@example.org"}"#]).message
        == "props.note contains an e-mail address; do not log it")
    #expect(try letter(["ctx": #"{"link":"see tel:4155552671"}"#]).message == "ctx.link contains a phone number; do not log it")
    #expect(try letter(["ctx": #"{"link":"tel:4155552671"}"#]).message == "ctx.link is a phone number; do not log it")
    #expect(
      try letter(["id": #""1:+4915112345678""#]).message
        == "id contains a phone number; use a pseudonymous id, or keep pseudonyms alone with --pseudonymize")
  }

  @Test func `a number is no phone number, and a null no personal data`() throws {
    for changes in [["props": #"{"n":4915112345678}"#], ["props": #"{"pin":null,"email":null,"a":1}"#]] {
      #expect(Decoded(Line.with(changes)).outcome == "accepted")
    }
    #expect(
      try letter(["props": #"{"pin":null,"email":1}"#]).message == "props.email is on the list of personal data; do not log it")
    #expect(try letter(["props": #"{"email":[null]}"#]).message == "props.email is on the list of personal data; do not log it")
  }

  @Test func `an object with a personal key that was null is looked at again`() {
    let lines = ["null", #""x""#, "null", "1"].map { Line.with(["props": "{\"a\":1,\"email\":\($0)}"]) }
    let decoded = Decoded((lines + lines).joined(separator: "\n"))
    #expect(decoded.records.count == 4)
    #expect(decoded.letters.map(\.line) == [2, 4, 6, 8])
  }

  @Test func `a line of long keys is masked in a moment`() throws {
    let key = String(repeating: "contact", count: 50_000)
    let members = (0..<20_000).map { "\"k\($0)\":1" }.joined(separator: ",")
    let letter = try letter(["extra": "{\"\(key)\":{\(members)},\"email\":\"ann@example.org\"}"])
    #expect(letter.isMasked && !letter.raw.contains("ann@"))
  }
}
