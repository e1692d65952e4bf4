import FunnelModel
import Testing

@Suite struct PrivacyRulesTests {
  private let rules = PrivacyRules(keys: [
    .init(key: "email", why: "names a person"), .init(key: "contact_name", why: "names someone else"),
    .init(key: "ip", why: "a household"),
  ])

  private func bytes<Answer>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Answer) -> Answer {
    Array(text.utf8).withUnsafeBytes(body)
  }

  @Test(arguments: [
    "email", "EMAIL", "e-mail", "E_Mail", "contact_name", "contactName", "contact-name", "_contactname_", "ip", "IP",
  ])
  func `a personal key is found whatever its case, underscores and hyphens`(key: String) {
    #expect(bytes(key, rules.isPersonal))
  }

  @Test(arguments: [
    "", "_", "-", "mail", "emails", "email.", "contact", "name", "ipa", "i", "trigger", "contact name", "émail", "zip",
  ])
  func `any other key is not personal`(key: String) {
    #expect(!bytes(key, rules.isPersonal))
  }

  @Test func `the reason of a personal key is told`() {
    #expect(bytes("contactName", rules.reason) == "names someone else")
    #expect(bytes("other", rules.reason) == nil)
  }

  @Test func `rules without keys find none`() {
    #expect(!bytes("email", PrivacyRules(keys: []).isPersonal))
  }

  @Test func `many keys are all found, and nothing like them`() {
    let many = PrivacyRules(keys: (0..<500).map { .init(key: "key_\($0)", why: "") })
    for number in 0..<500 { #expect(bytes("KEY\(number)", many.isPersonal)) }
    for number in 500..<1500 { #expect(!bytes("key\(number)", many.isPersonal)) }
  }

  @Test(arguments: [
    "ann@example.org", "a@b.cc", "Ann.Smith+tag@mail.example.co.uk", "ann_1@x-y.de", "ann..b.@docomo.ne.jp",
    "o'neil@example.com",
    "ann@xn--bcher-kva.example", "ann@bücher.de", "jürgen@example.org", "ann@example.xn--p1ai", "ANN@EXAMPLE.ORG", "2x@2x.com",
    "a@1x.io", "+4915112345678@sms.example.com", "{x}@example.org",
  ])
  func `an e-mail address is found`(value: String) {
    #expect(bytes(value, PrivacyRules.isEmailAddress))
    #expect(bytes(value, rules.personalKind) == .emailAddress)
  }

  @Test(arguments: [
    "", "@", "ann", "ann@", "@example.org", "ann@example", "ann@localhost", "ann@@example.org", "a@b@example.org",
    "ann@example.o",
    "ann@.org", "ann@example..org", "ann@-example.org", "ann@example-.org", "ann@example.org.", "ann@example.123",
    "ann@10.0.0.1",
    "ann example@x.org", "ann@exam ple.org", "mail ann@example.org", "ann@example.org now", "<ann@example.org>",
    "ann@example.org\n",
    "icon@2x.png", "logo@3x.jpg", "package@1.2.3", "user:pass@host.org", "swift@5.9", "@mention here.now", "first_launch",
    "a@example.c_m", "ann@example.org,bob@example.org",
  ])
  func `what is not as a whole an e-mail address is not taken for one`(value: String) {
    #expect(!bytes(value, PrivacyRules.isEmailAddress))
    #expect(bytes(value, rules.personalKind) == nil)
  }

  @Test func `the parts of an e-mail address have their limits`() {
    func letters(_ count: Int) -> String { String(repeating: "a", count: count) }
    #expect(bytes("\(letters(64))@example.org", PrivacyRules.isEmailAddress))
    #expect(!bytes("\(letters(65))@example.org", PrivacyRules.isEmailAddress))
    #expect(bytes("a@\(letters(63)).org", PrivacyRules.isEmailAddress))
    #expect(!bytes("a@\(letters(64)).org", PrivacyRules.isEmailAddress))
    let long = "a@" + Array(repeating: letters(61), count: 4).joined(separator: ".")
    #expect(long.utf8.count == 249)
    #expect(bytes(long + ".org", PrivacyRules.isEmailAddress))
    #expect(!bytes(long + ".museum", PrivacyRules.isEmailAddress))
  }

  @Test func `an at sign is found wherever it stands`() {
    for length in 1...40 {
      #expect(bytes(String(repeating: "a", count: length) + "@b.cc", PrivacyRules.isEmailAddress), "\(length)")
      // Bytes that differ from an at sign in one bit must not confuse the search.
      #expect(!bytes(String(repeating: "A", count: length) + "A`b.cc", PrivacyRules.isEmailAddress), "\(length)")
    }
  }

  @Test(arguments: ["+4915112345678", "+1234567", "+123456789012345", "+14155552671"])
  func `a phone number of E 164 is found`(value: String) {
    #expect(bytes(value, PrivacyRules.isE164))
    #expect(bytes(value, rules.personalKind) == .e164PhoneNumber)
  }

  @Test(arguments: [
    "", "+", "+123456", "+1234567890123456", "+0123456789", "4915112345678", "+49 151 123", "+4915112x", "+49-151-1234",
    "00491511234",
    "+491511234 ", "+٣٣٣٣٣٣٣", "++1234567", "2026-11-20T10:15:30+0100",
  ])
  func `what is not as a whole a phone number is not taken for one`(value: String) {
    #expect(!bytes(value, PrivacyRules.isE164))
    #expect(bytes(value, rules.personalKind) == nil)
  }

  @Test func `only the kinds of values that the file lists are looked for`() throws {
    let text =
      #"{"version":1,"keys":[{"key":"email","why":"w"}],"values":[{"kind":"e164_phone_number","example":"+4915112345678","why":"w"}]}"#
    let rules = try PrivacyRules(json: Array(text.utf8), source: "privacy.json")
    #expect(rules.keys == [.init(key: "email", why: "w")])
    #expect(bytes("ann@example.org", rules.personalKind) == nil)
    #expect(bytes("+4915112345678", rules.personalKind) == .e164PhoneNumber)
  }

  @Test(arguments: [
    ("{", "privacy.json:1:2: $: not JSON: a key in double quotes is missing here"),
    (
      #"{"version":2,"keys":[],"values":[]}"#, "privacy.json:1:12: $.version: this version of the file is unknown, allowed: 1"
    ),
    (#"{"version":1,"keys":[]}"#, "privacy.json:1:1: $: the key \"values\" is missing, add it"),
    (#"{"version":1,"keys":{},"values":[]}"#, "privacy.json:1:21: $.keys: an array of keys is needed, not an object"),
    (#"{"version":1,"keys":[{"key":"a"}],"values":[]}"#, "privacy.json:1:22: $.keys[0]: the key \"why\" is missing, add it"),
    (
      #"{"version":1,"keys":[],"values":[{"kind":"email"}]}"#,
      "privacy.json:1:42: $.values[0].kind: \"email\" is unknown here, allowed: email_address, e164_phone_number"
    ),
  ])
  func `a privacy list that is wrong is refused with its place`(json: String, message: String) {
    let error = #expect(throws: FunnelError.self) { try PrivacyRules(json: Array(json.utf8), source: "privacy.json") }
    #expect(error == FunnelError(.configuration, message))
  }
}
