import FunnelModel
import Testing

@Suite struct PrivacyRulesTests {
  private func bytes<Answer>(_ text: String, _ body: (Span<UInt8>) -> Answer) -> Answer {
    body(Array(text.utf8).span)
  }

  @Test func `rules without keys find none`() {
    #expect(!bytes("email", PrivacyRules(keys: []).isPersonal))
  }

  @Test func `only the kinds of values that the file lists are looked for`() throws {
    let text =
      #"{"version":1,"keys":[{"key":"email","why":"w"}],"values":[{"kind":"phone_number","example":"+4915112345678","why":"w"}]}"#
    let rules = try PrivacyRules(json: Array(text.utf8), source: "privacy.json")
    #expect(rules.keys == [.init(key: "email", why: "w")])
    #expect(bytes("ann@example.org", rules.personalPart) == nil)
    #expect(bytes("+4915112345678", rules.personalPart)?.kind == .phoneNumber)
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
      "privacy.json:1:42: $.values[0].kind: \"email\" is unknown here, allowed: email_address, phone_number"
    ),
  ])
  func `a privacy list that is wrong is refused with its place`(json: String, message: String) {
    let error = #expect(throws: FunnelError.self) { try PrivacyRules(json: Array(json.utf8), source: "privacy.json") }
    #expect(error == FunnelError(.configuration, message))
  }
}
