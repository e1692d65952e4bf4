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
}
