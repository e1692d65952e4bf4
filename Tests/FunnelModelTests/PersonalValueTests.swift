import FunnelModel
import Testing

/// Values that are or contain an e-mail address or a phone number.
@Suite struct PersonalValueTests {
  private static let rules = PrivacyRules(keys: [])

  /// Returns the kind and the text of the personal part of a value.
  private func found(_ value: String) -> (kind: PrivacyRules.ValueKind, text: String)? {
    let bytes = Array(value.utf8)
    let part = Self.rules.personalPart(ofValue: bytes.span)
    return part.map { ($0.kind, String(decoding: bytes[$0.range], as: UTF8.self)) }
  }

  private func isWhollyPersonal(_ value: String, _ kind: PrivacyRules.ValueKind) -> Bool {
    found(value).map { $0 == (kind, value) } ?? false
  }

  @Test(arguments: [
    "ann@example.org", "a@b.cc", "Ann.Smith+tag@mail.example.co.uk", "ann_1@x-y.de", "ann..b.@docomo.ne.jp",
    "ann@xn--bcher-kva.example", "ann@bücher.de", "jürgen@example.org", "ann@example.xn--p1ai", "ANN@EXAMPLE.ORG", "2x@2x.com",
    "a@1x.io", "+4915112345678x@sms.example.com",
  ])
  func `an e-mail address is found`(value: String) {
    #expect(isWhollyPersonal(value, .emailAddress))
  }

  @Test(arguments: [
    ("mail ann@example.org please", "ann@example.org"), ("ann@example.org now", "ann@example.org"),
    ("<ann@example.org>", "ann@example.org"), ("ann@example.org\n", "ann@example.org"),
    ("Write to ann@example.org.", "ann@example.org"),
    ("ann@example.org,bob@example.org", "ann@example.org"), ("mailto:bob@example.org?subject=Hi", "bob@example.org"),
    ("MAILTO:Bob@Example.org", "Bob@Example.org"), ("https://ann@example.org/inbox", "ann@example.org"),
    ("user:pass@host.org", "pass@host.org"), ("o'neil@example.com", "neil@example.com"), ("{x}@example.org", "}@example.org"),
    ("icon@2x.png of ann@example.org", "ann@example.org"), ("ann@example.org-2026", "ann@example.org"),
    ("ann@example.org...", "ann@example.org"), ("an:ann@example.org;", "ann@example.org"),
    ("(ann@example.org)", "ann@example.org"),
    ("ann@example.org_1", "ann@example.org"), ("x=ann@example.org&y", "ann@example.org"),
    ("📧ann@example.org", "📧ann@example.org"),
  ])
  func `an e-mail address is found within a text`(value: String, address: String) {
    let found = found(value)
    #expect(found?.kind == .emailAddress && found?.text == address, "\(String(describing: found))")
  }

  @Test(arguments: [
    "", "@", "ann", "ann@", "@example.org", "ann@example", "ann@localhost", "ann@@example.org", "a@b@example.org",
    "ann@example.o", "ann@.org", "ann@example..org", "ann@-example.org", "ann@example-.org", "ann@example.123",
    "ann@10.0.0.1", "ann@exam ple.org", "icon@2x.png", "see assets/icon@2x.png?v=1", "logo@3x.jpg", "package@1.2.3",
    "swift@5.9",
    "@mention here.now", "first_launch", "a@example.c_m", "a@example.c-om", "meet @ 8.pm", "5 apples @ 1.99",
  ])
  func `what holds no e-mail address is not taken for one`(value: String) {
    #expect(found(value) == nil)
  }

  @Test func `the parts of an e-mail address have their limits`() {
    func letters(_ count: Int) -> String { String(repeating: "a", count: count) }
    #expect(isWhollyPersonal("\(letters(64))@example.org", .emailAddress))
    #expect(found("\(letters(65))@example.org") == nil)
    #expect(isWhollyPersonal("a@\(letters(63)).org", .emailAddress))
    #expect(found("a@\(letters(64)).org") == nil)
    let long = "a@" + Array(repeating: letters(61), count: 4).joined(separator: ".")
    #expect(long.utf8.count == 249)
    #expect(isWhollyPersonal(long + ".org", .emailAddress))
    #expect(found(long + ".museum") == nil)
  }

  @Test(arguments: [
    "+4915112345678", "+1234567", "+123456789012345", "+14155552671", "+49 (30) 123-4567", "+1 (415) 555-2671",
    "+1.415.555.2671",
    "+(49) 30 1234567", "+49 (0)30 1234567", "+49/30/1234567", "+49 30 / 123 - 45", "+49 151 123", "+49-151-1234",
    "+1\u{A0}(415)\u{A0}555\u{2011}2671", "+1%20415%20555%202671",
  ])
  func `an international phone number is found`(value: String) {
    #expect(isWhollyPersonal(value, .phoneNumber), "\(String(describing: found(value)))")
  }

  @Test(arguments: [
    "tel:4155552671", "tel:+1(415)555-2671", "tel:(415) 555-2671", "sms:030 1234567", "SMS:030 1234567", "Tel: 030 1234567",
    "tel://4155552671", "telprompt://4155552671", "smsto:0301234567", "tel:004915112345678", "tel:+1234567",
    "tel:%2B14155552671",
    "tel:555-2671",
  ])
  func `a phone number behind tel or sms is found without a plus sign too`(value: String) {
    #expect(isWhollyPersonal(value, .phoneNumber), "\(String(describing: found(value)))")
  }

  @Test(arguments: [
    ("call +49 30 1234567 now", "+49 30 1234567"), ("+491511234 ", "+491511234"), ("(+49 30 1234567)", "+49 30 1234567"),
    ("phone=+14155552671&x=1", "+14155552671"), ("打电话+4915112345678", "+4915112345678"),
    ("\u{202A}+1 (415) 555-2671\u{202C}", "+1 (415) 555-2671"), ("+14155552671x5", "+14155552671"),
    ("+14155552671 ext. 5", "+14155552671"), ("+14155552671ext5", "+14155552671"),
    ("tel:+14155552671;ext=5", "tel:+14155552671"),
    ("link tel:4155552671, or not", "tel:4155552671"), ("sms:030 1234567?body=Hi", "sms:030 1234567"),
    ("+123456789 0123456789", "+123456789"), ("open tel:4155552671 at 10:15", "tel:4155552671"),
  ])
  func `a phone number is found within a text`(value: String, number: String) {
    let found = found(value)
    #expect(found?.kind == .phoneNumber && found?.text == number, "\(String(describing: found))")
  }

  @Test(arguments: [
    "", "+", "+123456", "+1234567890123456", "+0123456789", "4915112345678", "+4915112x", "+491511234xy",
    "00491511234", "030 1234567", "(415) 555-2671", "+٣٣٣٣٣٣٣", "++1234567", "2026-11-20T10:15:30+0100",
    "2026-11-20 10:15:30 +0100",
    "2026-11-20T10:15:30.123+01:00", "10:15:30", "+01:00", "UTC+02:00", "1.2.3+20261120", "v5.2.0+build.20261120",
    "550e8400-e29b-41d4-a716-446655440000", "a+4915112345678", "1+4915112345678", "+49151123456789ab", "+4915112345678_9",
    "+1,000,000,000",
    "+12.50", "+5", "C++17", "1795168800000", "$1,234,567.89", "tel:112", "tel:", "sms:12345", "tel:a4155552671",
    "hotel:4155552671",
    "motel: 4155552671", "x_tel:4155552671", "tel;4155552671", "tel:123456789012345678", "ratio 1:4155552671", "id:4155552671",
    "0x7FFF+12345678ABCDEF", "first:second", "https://example.org:8080/4155552671",
  ])
  func `times, versions, ids, prices and plain numbers are no phone numbers`(value: String) {
    #expect(found(value) == nil, "\(String(describing: found(value)))")
  }

  @Test func `the longest texts take no more than a moment`() {
    for text in ["@", "+1-", "tel:", "a@", "+1 2 3 4 5 6 7 ", "a@b.c."] {
      _ = found(String(repeating: text, count: (1 << 20) / text.utf8.count))
    }
    #expect(found(String(repeating: "+1:", count: 300_000) + " ann@example.org") != nil)
  }
}
