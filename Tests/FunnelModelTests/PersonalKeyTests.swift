import FunnelModel
import Testing

/// Keys are matched by their words.
@Suite struct PersonalKeyTests {
  private static let rules = rules("email", "contact_name", "ip", "pin", "ssid", "home_network", "address", "Pile Name")

  private static func rules(_ keys: String...) -> PrivacyRules {
    PrivacyRules(keys: keys.map { .init(key: $0, why: "why \($0)") })
  }

  private func listed(_ key: String, _ rules: PrivacyRules = rules) -> String? {
    rules.listedKey(heldBy: Array(key.utf8).span)?.key
  }

  @Test(arguments: [
    "email", "EMAIL", "e-mail", "E_Mail", "eMail", "_email_", "email.", "$email", "emails", "email2", "email_2", "Email-02",
  ])
  func `a listed key of one word is found as a whole key, however it is spelt`(key: String) {
    #expect(listed(key) == "email")
  }

  @Test(arguments: [
    ("PINs", "pin"), ("pins", "pin"), ("SSIDs", "ssid"), ("ssids", "ssid"), ("IPs", "ip"), ("addresses", "address"),
    ("homeNetworks", "home_network"), ("contactNames", "contact_name"),
  ])
  func `a plural is found too`(key: String, expected: String) {
    #expect(listed(key) == expected)
  }

  @Test(arguments: [
    "pin_set", "pinned", "pinSet", "isPIN", "spin", "user_email", "emailVerified", "description", "ipa", "zip", "ship_to",
    "IPhone",
    "iPhoneModel", "ssid_count", "address_book", "mail", "i", "émail", "emailé", "2email", "pinns", "pines", "ipes",
  ])
  func `a listed key of one word is not found beside other words`(key: String) {
    #expect(listed(key) == nil)
  }

  @Test(arguments: [
    ("contact_name", "contact_name"), ("contactName", "contact_name"), ("contact-name", "contact_name"),
    ("contact.name", "contact_name"), ("contact name", "contact_name"), ("suggestedContactName", "contact_name"),
    ("contact_name_2", "contact_name"), ("contactName2", "contact_name"), ("SUGGESTED_CONTACT_NAME", "contact_name"),
    ("props.contact.name.length", "contact_name"), ("contactname", "contact_name"), ("_contactname_", "contact_name"),
    ("CONTACTNAME", "contact_name"), ("suggested_contactname", "contact_name"), ("homeNetworkSSIDs", "home_network"),
    ("currentHomeNetwork", "home_network"), ("homenetworks", "home_network"), ("pileName", "Pile Name"),
    ("pile_names", "Pile Name"),
    ("URLOfPileName", "Pile Name"), ("PILEName", "Pile Name"), ("HTTPPileNameID", "Pile Name"),
    ("item1ContactName", "contact_name"),
  ])
  func `a listed key of several words is found wherever these stand in a row`(key: String, expected: String) {
    #expect(listed(key) == expected)
  }

  @Test(arguments: [
    "", "_", "-", "contact", "name", "name_contact", "contact_first_name", "contacts", "network", "networks", "home",
    "home_base",
    "piles", "pile_count", "compile_name", "pile_named", "contact1Name", "names", "homework_net",
  ])
  func `words in another order, apart, or within other words are not found`(key: String) {
    #expect(listed(key) == nil)
  }

  @Test(arguments: [
    ("theCurrentSSID", "current_ssid"), ("HTTPRequestID", "request_id"), ("theHTTPRequest", "http_request"),
    ("userIDsSeen", "user_id"),
    ("sha256HashValue", "hash_value"), ("aB", "a_b"), ("isURL", "is_url"),
  ])
  func `a word begins with a capital, and of a run of capitals with the last before small letters`(key: String, held: String) {
    #expect(listed(key, Self.rules(held)) == held)
  }

  @Test func `a number in a listed key counts`() {
    let rules = Self.rules("question_3", "ipv4")
    #expect(listed("question3", rules) == "question_3")
    #expect(listed("myQuestion_3", rules) == "question_3")
    #expect(listed("question_4", rules) == nil)
    #expect(listed("question_33", rules) == nil)
    #expect(listed("question", rules) == nil)
    #expect(listed("IPv4", rules) == "ipv4")
    #expect(listed("ipv", rules) == nil)
  }

  @Test func `the reason of a listed key is told`() {
    let key = Self.rules.listedKey(heldBy: Array("contactName".utf8).span)
    #expect(key == .init(key: "contact_name", why: "why contact_name"))
  }

  @Test func `many keys are all found, and nothing like them`() {
    let many = PrivacyRules(keys: (0..<500).map { .init(key: "key_\($0)", why: "") })
    for number in 0..<500 { #expect(listed("KEY\(number)", many) == "key_\(number)") }
    for number in 500..<1500 { #expect(listed("key\(number)", many) == nil) }
  }

  @Test func `a key that is listed without a letter or digit is held by none`() {
    #expect(listed("_", Self.rules("_", "")) == nil)
    #expect(listed("a", Self.rules("_", "")) == nil)
  }

  @Test func `the longest keys take no more than a moment`() {
    let words = String(repeating: "contact_", count: 20_000)
    #expect(listed(words) == nil)
    #expect(listed(words + "name") == "contact_name")
    #expect(listed(String(repeating: "a", count: 1 << 20)) == nil)
  }

  @Test func `of the keys a flow forbids, those that the list refuses anyway are left out`() {
    let list = Self.rules("email", "contact_name")
    func forbidden(_ keys: String...) -> [String]? { PrivacyRules(forbidding: keys, beyond: list)?.keys.map(\.key) }
    #expect(forbidden("email", "contactName", "contactname") == nil)
    #expect(forbidden() == nil)
    // `email` is one word on the list and `e_mail` is two words, so forbidding the latter rejects more keys.
    #expect(forbidden("nickname", "e_mail", "email") == ["nickname", "e_mail"])
  }
}
