@testable import FunnelModel
import Testing

@Suite struct EventKeyTests {
  @Test func `a key reads its own text`() throws {
    let keys: [EventKey] =
      [.event(name: "signup_completed"), .step(id: "welcome")]
      + EventKey.Answer.allCases.map { .answer($0, permission: "family_controls") }
    for key in keys { #expect(EventKey(key.description) == key) }
    for text in ["", "Signup", "step:", "step:a:b", "perm:photos", "perm:photos:asked"] {
      #expect(EventKey(text) == nil, "\(text)")
    }
  }

  @Test(arguments: PermissionEventName.Suffix.allCases)
  func `the answer of an event is that whose suffixes contain the event's`(suffix: PermissionEventName.Suffix) {
    let name = PermissionEventName.name(suffix, of: "family_controls")
    let answers = EventKey.Answer.allCases.filter { $0.suffixes.contains(suffix) }
    #expect(answers.count <= 1)
    #expect(EventKey(answerLoggedBy: name) == answers.first.map { .answer($0, permission: "family_controls") })
  }

  @Test func `a permission's name is between the prefix and the suffix`() throws {
    let name = try #require(PermissionEventName("perm_family_controls_while_using"))
    #expect(name.permission == "family_controls")
    #expect(name.suffix == .whileUsing)
    for text in ["perm_granted", "perm__granted", "perm_photos_authorized", "photos_granted"] {
      #expect(PermissionEventName(text) == nil, "\(text)")
    }
  }

  /// Returns the patterns of the events that enter a step by an upcast of `props.k`.
  private func patterns(of wanted: String, table: String) throws -> [EventPattern] {
    let text = """
      {"app":"a","flow":"f","version":1,"upcasts":[{"from":"old","to":{"name":"screen","props.kind":{"$map":"props.k",\(table)}}}],
       "steps":[{"id":"start","entered_by":[{"event":"screen","where":{"props.kind":\(wanted)}}]}]}
      """
    let flow = try FlowDefinition(json: Array(text.utf8), source: "f.json")
    return EventKey.step(id: "start").patterns(in: [flow]).filter { $0.event == "old" }
  }

  /// Returns a pattern of an old event with a value of `props.k`.
  private func old(_ value: PropertyValue) -> EventPattern {
    EventPattern(event: "old", conditions: [PropertyCondition(field: .property("k"), value: value)])
  }

  @Test func `a table of an upcast leaves an absent field absent`() throws {
    #expect(try patterns(of: "null", table: #""values":{"x":"y"},"else":"z""#) == [old(.null)])
  }

  @Test func `a table of an upcast lists numbers and booleans by their text`() throws {
    #expect(try patterns(of: #""y""#, table: #""values":{"7":"y"},"else":"z""#) == [old(.string("7")), old(.integer(7))])
    #expect(try patterns(of: #""y""#, table: #""values":{"2.5":"y"},"else":"z""#) == [old(.string("2.5")), old(.double(2.5))])
    #expect(try patterns(of: #""y""#, table: #""values":{"true":"y"},"else":"z""#) == [old(.string("true")), old(.bool(true))])
    // No number has this text.
    #expect(try patterns(of: #""y""#, table: #""values":{"7.0":"y"},"else":"z""#) == [old(.string("7.0"))])
  }
}
