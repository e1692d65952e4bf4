import FunnelModel
import FunnelSchemas
import FunnelTestSupport
import Testing

@testable import FunnelDecoding

/// The field `user`, the account that was signed in.
@Suite struct UserFieldTests {
  private static let options = DecodingOptions(now: Decoded.now, privacy: BuiltInSchemas.privacy)

  /// Calls a closure with the event of each line, as the decoder of batches parses it.
  private func forEachWalked(_ lines: [String], _ body: (Int, EventFields) -> Void) throws {
    let text = Array(lines.joined(separator: "\n").utf8)
    let block = LineBlock(place: LineBlock.Place(file: "f", line: 1, byteOffset: 0), content: .lines, bytes: text)
    var walker = LineWalker(options: Self.options, defaultApp: nil)
    let event = EventStorage()
    block.withText { batch in
      let isSound = walker.begin(batch)
      #expect(isSound)
      var (token, start) = (0, 0)
      for (number, line) in lines.enumerated() {
        token = walker.firstToken(atOrAfter: start, from: token)
        let end = start + line.utf8.count
        // The first line caches its field prefix, and the second one the layout.
        let isKnown = walker.walkKnown(from: start, firstToken: token, into: &event.fields.pointee) != nil
        #expect(isKnown == (number > 1), "line \(number)")
        if !isKnown { _ = walker.walk(from: start, to: end, firstToken: token, into: &event.fields.pointee) }
        body(number, event.fields.pointee)
        start = end + 1
      }
    }
  }

  @Test func `lines with a user are read from their tokens and their layout, like those without`() throws {
    let lines = (0..<50).map { number in
      Line.with([
        "user": "\"account-\(number)\"", "subject": "\"device-\(number % 7)\"", "ts": #""2026-11-20T10:00:00.000Z""#,
      ])
    }
    try forEachWalked(lines) { number, event in
      #expect(event.user?.text == "account-\(number)" && event.subject.text == "device-\(number % 7)")
    }
  }

  @Test(arguments: ["anonymous", "NULL", "0", "00000000-0000-0000-0000-000000000000", "lmy47d"])
  func `a placeholder is read as absent, and the event stays`(user: String) throws {
    let line = Line.with(["user": "\"\(user)\""])
    let without = Decoded(Line.with([:]))
    #expect(Decoded(line).records == without.records)
    #expect(Decoded([line, line].joined(separator: "\n")).records == without.records + without.records)
    // It does not matter which decoder reads the line.
    #expect(Decoded(line.replacing(user, with: user.escaped)).records == without.records)
  }

  @Test(arguments: ["null", "42", "true", "{}", "[]"])
  func `a user is a string`(value: String) {
    let kind = ["null": "null", "42": "a number", "true": "a boolean", "{}": "an object", "[]": "an array"][value] ?? ""
    #expect(Decoded(Line.with(["user": value])).outcome == "invalid_field: user is \(kind); it must be a string")
  }

  @Test func `a placeholder subject links no user`() throws {
    var event = EventFields()
    let texts = PaddedCopy(Array("device-1accountguest".utf8))
    let (device, account, guest) = (texts.view.part(0..<8), texts.view.part(8..<15), texts.view.part(15..<20))
    event.subject = device
    #expect(event.linkingUser == nil)
    event.setUser(account)
    #expect(event.user?.text == "account" && event.linkingUser?.text == "account")
    event.subject = guest
    #expect(event.user?.text == "account" && event.linkingUser == nil)
    event.setUser(guest)
    #expect(event.user == nil)
    event.setUser(account)
    event.clear()
    #expect(event.user == nil)
    withExtendedLifetime(texts) {}
  }

  @Test func `an event that only links is never unclaimed`() {
    let lines = [Line.with(["name": #""user_linked""#, "user": #""u""#]), Line.with(["name": #""user_linkex""#])]
    let decoded = Decoded(lines.joined(separator: "\n"))
    #expect(decoded.records.count == 2 && decoded.unclaimed == ["user_linkex"])
  }
}

extension String {
  /// The text with a JSON escape for its first character.
  fileprivate var escaped: String {
    guard let first = utf8.first else { return self }
    return "\\u00" + String(first, radix: 16) + dropFirst()
  }
}
