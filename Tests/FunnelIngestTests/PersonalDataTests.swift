import Foundation
import FunnelIngest
import FunnelModel
import FunnelSchemas
import Testing

/// Personal data is refused, masked before it is kept, and never repeated in a message.
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
      }
    }
  }

  @Test(arguments: [
    "ann@example.org", "Ann.B+x@mail.example.co", "a@b.cc", "ann@exämple.org", "+4915112345678", "+1234567", "+123456789012345",
  ])
  func `a value that is an address or a number is refused under any key, and masked`(value: String) throws {
    let places: [[String: String]] = [
      ["props": "{\"note\":\"\(value)\",\"kept\":1}"], ["ctx": "{\"note\":\"\(value)\"}"], ["note": "\"\(value)\""],
      ["subject": "\"\(value)\""], ["attempt": "\"\(value)\""], ["id": "\"\(value)\""],
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
    "ann@example", "@example.org", "ann@", "see ann@example.org", "icon@2x.png", "+0491511234567", "+123456",
    "+1234567890123456",
    "4915112345678", "+49 151 123", "user@localhost",
  ])
  func `what only looks a little like one is no personal data`(value: String) {
    #expect(Decoded(Line.with(["props": "{\"note\":\"\(value)\"}", "attempt": "\"\(value)\""])).outcome == "accepted")
  }

  @Test func `everything personal in a line is masked, at any depth, and the rest is as it was`() throws {
    let letter = try letter([
      "props": #"{"email":"x","a":1.50,"n":null,"note":"ann@example.org","phone":4915112345678,"dob":false,"ip":null}"#,
      "extra": #"{"deep":[{"contact":{"to":"+4915112345678","ssid":["home",{"a":1}]}},true]}"#,
    ])
    #expect(
      letter.raw
        == #"{"app":"cleaner","extra":{"deep":[{"contact":{"to":"***","ssid":["***",{"a":"***"}]}},true]},"name":"opened","#
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
}
