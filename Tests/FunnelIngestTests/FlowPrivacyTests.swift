import FunnelDecoding
import FunnelIngest
import FunnelModel
import FunnelSchemas
import Testing

/// An event with a key that its flow forbids (`no_personal_data`) is rejected, and the value is masked.
@Suite struct FlowPrivacyTests {
  private static func flow(_ name: String, _ keys: String) -> String {
    """
    {"app":"diary","flow":"\(name)","version":1,"title":"T","window":"7d","count_by":"subject",
     "steps":[{"id":"start","label":"Start","entered_by":["\(name)_started"]},{"id":"end","label":"End","entered_by":["\(name)_ended"]}],
     "rules":[{"rule":"no_personal_data","keys":[\(keys)]}]}
    """
  }

  private static func catalog() throws -> FlowCatalog {
    let files = try [
      flow("onboarding", #""nickname","mood_text","email""#), flow("paywall", #""coupon""#), flow("open", #""contact_name""#),
    ].enumerated().map { try FlowFile(json: Array($1.utf8), name: "f\($0).json") }
    return try FlowCatalog(layers: [BuiltInSchemas.flowFiles, files])
  }

  private func decoded(_ changes: [String: String]...) throws -> Decoded {
    let lines = changes.map { Line.with($0.merging(["app": #""diary""#]) { given, _ in given }) }
    return Decoded(lines.joined(separator: "\n"), catalog: try Self.catalog())
  }

  @Test func `a key that the flow forbids is refused in its events, by its words, and masked`() throws {
    for (place, field) in [("props.", "props"), ("ctx.", "ctx")] {
      for key in ["nickname", "NickNames", "mood_text", "todaysMoodText"] {
        let decoded = try decoded(["name": #""onboarding_started""#, field: "{\"a\":1,\"\(key)\":\"Private\"}"])
        let letter = try #require(decoded.letters.first)
        #expect(letter.reason == .personalData)
        let listed = key.lowercased().hasPrefix("nick") ? "nickname" : "mood_text"
        #expect(
          letter.message
            == "\(place)\(key): \"\(listed)\" is personal data according to its flow (no_personal_data); do not log it")
        #expect(letter.isMasked && !letter.isReplayable)
        #expect(String(decoding: letter.raw, as: UTF8.self).contains("{\"a\":1,\"\(key)\":\"***\"}"))
      }
    }
  }

  @Test func `an event that names the flow is held to its rule too`() throws {
    let other = ["name": #""opened""#, "flow": #""onboarding""#, "props": #"{"nickname":"Private"}"#]
    #expect(try decoded(other).letters.first?.reason == .personalData)
    #expect(
      try decoded(["name": #""opened""#, "nickname": #""Private""#, "flow": #""onboarding""#]).letters.first?.reason
        == .personalData)
  }

  @Test func `other flows, other apps and null values are not refused`() throws {
    for changes in [
      ["name": #""paywall_started""#, "props": #"{"nickname":"x"}"#], ["name": #""opened""#, "props": #"{"nickname":"x"}"#],
      ["name": #""onboarding_started""#, "props": #"{"nickname":null,"coupon":"x"}"#],
      ["name": #""onboarding_started""#, "app": #""cleaner""#, "props": #"{"nickname":"x"}"#],
      ["name": #""onboarding_started""#, "props": #"{"mood":"x","text":"y"}"#],
    ] {
      #expect(try decoded(changes).outcome == "accepted")
    }
  }

  @Test func `what an app's flows forbid is masked in every refused line of the app`() throws {
    let line = ["name": #""paywall_started""#, "ts": "0", "props": #"{"nickname":"Private","coupon":"Private","n":1}"#]
    let letter = try #require(try decoded(line).letters.first)
    #expect(letter.reason == .timestampOutOfRange && letter.isMasked)
    #expect(String(decoding: letter.raw, as: UTF8.self).contains(#""props":{"nickname":"***","coupon":"***","n":1}"#))
    let elsewhere = try #require(try decoded(line.merging(["app": #""cleaner""#]) { $1 }).letters.first)
    #expect(!elsewhere.isMasked)
    let unnamed = Decoded(Line.with(line.merging(["app": ""]) { $1 }), app: "diary", catalog: try Self.catalog())
    #expect(unnamed.letters.first?.isMasked == true)
  }

  @Test func `lines like one that was refused or taken are judged each for itself`() throws {
    let good = ["name": #""onboarding_started""#, "props": #"{"nickname":null}"#]
    let bad = ["name": #""onboarding_started""#, "props": #"{"nickname":"x"}"#]
    let decoded = try decoded(good, bad, good, bad, bad, good)
    #expect(decoded.letters.map(\.line) == [2, 4, 5])
    #expect(decoded.records.count == 3)
  }

  @Test func `what the log holds is read back whatever a flow forbids since`() throws {
    let line = Line.with(["app": #""diary""#, "name": #""onboarding_started""#, "id": #""1""#, "props": #"{"nickname":"x"}"#])
    #expect(Decoded(line, catalog: try Self.catalog(), isTrusted: true).outcome == "accepted")
  }
}
