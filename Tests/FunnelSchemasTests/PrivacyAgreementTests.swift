import FunnelEvents
import FunnelModel
import FunnelSchemas
import FunnelTestSupport
import Testing

/// The library for apps has its own search for personal data, which finds what the tool's does.
@Suite struct PrivacyAgreementTests {
  private static let keyParts =
    BuiltInSchemas.privacy.keys.prefix(60).map(\.key) + [
      "set", "count", "is", "my", "HTTP", "ID", "IDs", "SSIDs", "2", "x", "ö", "s", "es", "addresses", "Pines", "PIN", "pin",
    ]
  private static let separators = ["", "", "_", ".", "-", "$", "__"]
  private static let valueParts = [
    "ann", "@", "example", ".", "org", "+", "49", "(30)", " ", "123-4567", "tel:", "sms:", "//", "4155552671", "@2x.png",
    "xn--", "x12", "_", "%20", "\u{A0}", "\u{2013}", "{", "ü", "00", "a@b.de", "+4915112345678", ":",
  ]

  /// Returns what the library says of a property, without the advice, or nil if it takes it.
  private func finding(_ key: String, _ value: String) throws -> String? {
    let recorder = try RecordedEvents(app: "a")
    recorder.record(FunnelEvent("opened", props: [key: .string(value)]))
    return recorder.problems.first?.message
  }

  @Test func `keys of random words are found by both or by neither`() throws {
    var random = SeededGenerator(seed: 5)
    var foundCount = 0
    for _ in 0..<20_000 {
      var key = ""
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let part = Self.keyParts.randomElement(using: &random) ?? ""
        let isHump = Bool.random(using: &random)
        key += isHump ? part.prefix(1).uppercased() + part.dropFirst() : part
        key += Self.separators.randomElement(using: &random) ?? ""
      }
      let expected = BuiltInSchemas.privacy.finding(inKey: Array(key.utf8).span)
      let found = try finding(key, "x")
      #expect(found == expected.map { "props.\(key.printable) \($0); do not log it" }, "\(key)")
      foundCount += found == nil ? 0 : 1
    }
    #expect(foundCount > 4000 && foundCount < 19_000)
  }

  @Test func `values of random parts are found by both or by neither`() throws {
    var random = SeededGenerator(seed: 6)
    var foundCount = 0
    for _ in 0..<20_000 {
      let count = Int.random(in: 1...7, using: &random)
      let value = (0..<count).map { _ in Self.valueParts.randomElement(using: &random) ?? "" }.joined()
      let expected = BuiltInSchemas.privacy.finding(inValue: Array(value.utf8).span)
      let found = try finding("text", value)
      #expect(found == expected.map { "props.text \($0); do not log it" }, "\(value)")
      foundCount += found == nil ? 0 : 1
    }
    #expect(foundCount > 1000 && foundCount < 19_000)
  }
}
