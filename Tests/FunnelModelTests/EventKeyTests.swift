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

  @Test func `an absent field stays absent after an upcast with a table, so its event enters a step that wants none`() throws {
    let text = """
      {"app":"a","flow":"f","version":1,"upcasts":[
        {"from":"old","to":{"name":"screen","props.kind":{"$map":"props.k","values":{"x":"y"},"else":"z"}}}],
       "steps":[{"id":"start","entered_by":[{"event":"screen","where":{"props.kind":null}}]}]}
      """
    let flow = try FlowDefinition(json: Array(text.utf8), source: "f.json")
    #expect(
      EventKey.step(id: "start").patterns(in: [flow]) == [
        EventPattern(event: "screen", conditions: [PropertyCondition(field: .property("kind"), value: .null)]),
        EventPattern(event: "old", conditions: [PropertyCondition(field: .property("k"), value: .null)]),
      ])
  }
}
