import FunnelModel
import Testing

@Suite struct PermissionEventNameTests {
  @Test(arguments: [
    ("authorized", "granted"), ("authorised", "granted"), ("allowed", "granted"), ("accepted", "granted"),
    ("full_access", "granted"), ("declined", "denied"), ("rejected", "denied"), ("refused", "denied"),
    ("not_authorized", "denied"), ("authorized_provisional", "provisional"), ("partial", "limited"),
    ("partially_granted", "limited"),
    ("dismissed", "dialog_dismissed"), ("prompted", "pre_prompt_shown"), ("shown", "pre_prompt_shown"),
    ("when_in_use", "while_using"), ("only_this_time", "once"), ("requested", "enable_tapped"),
    ("skip_tapped", "skip_explained"), ("not_now", "skipped"), ("grantd", "granted"),
    ("pre_promt_shown", "pre_prompt_shown"), ("denyed", "denied"), ("autorized", "granted"), ("skiped", "skipped"),
  ])
  func `a suffix in other words, or misspelt, leads to the known one`(suffix: String, known: String) {
    let meant = PermissionEventName.Advice.meant("perm_family_controls_\(known)")
    #expect(PermissionEventName.advice(for: "perm_family_controls_\(suffix)", permissions: ["family_controls"]) == meant)
    #expect(PermissionEventName.advice(for: "perm_family_controls_\(suffix)") == meant)
    #expect(meant.text == "perm_family_controls_\(known)")
  }

  @Test(arguments: [
    ("restricted", "not an answer: a profile or parental controls decided, nobody was asked"),
    ("not_determined", "not an answer: nobody has been asked yet"),
    ("dialog_shown", "not an answer: the system's dialog was shown, its answer is an event of its own"),
    ("unavailable", "not an answer: the device can't ask for it"),
    ("error", "not an answer: the question failed, nobody answered it"),
  ])
  func `a state of the system is no answer, and the reason says why`(suffix: String, text: String) {
    let advice = PermissionEventName.advice(for: "perm_notifications_\(suffix)")
    #expect(advice == PermissionEventName.advice(for: "perm_notifications_\(suffix)", permissions: ["notifications"]))
    #expect(advice?.text == text)
    guard case .notAnAnswer(suffix, _)? = advice else {
      Issue.record("\(String(describing: advice))")
      return
    }
  }

  @Test(arguments: [
    "perm_photos_granted", "perm_photos_provisional", "perm_photos_once", "perm_photos_dialog_dismissed", "perm_photos",
    "perm_photos_", "perm_", "perm__", "granted",
    "photos_authorized", "perm_photos_sunshine", "perm_x_denied",
  ])
  func `a known suffix, another kind of name, or one that is like nothing, gets no advice`(name: String) {
    #expect(PermissionEventName.advice(for: name) == nil)
    #expect(PermissionEventName.advice(for: name, permissions: ["photos", "x"]) == nil)
  }

  @Test func `the permission is the longest of those that may be meant`() {
    let permissions = ["location", "location_always"]
    #expect(
      PermissionEventName.advice(for: "perm_location_always_allowed", permissions: permissions)
        == .meant("perm_location_always_granted"))
    #expect(
      PermissionEventName.advice(for: "perm_location_allowed", permissions: permissions) == .meant("perm_location_granted"))
    #expect(PermissionEventName.advice(for: "perm_flow_shown", permissions: permissions) == nil)
  }

  @Test func `a flow gives advice on its own permissions, else the nearest name it declares`() throws {
    let flow = try FlowDefinition(
      json: Array(
        #"{"app":"a","flow":"f","version":1,"steps":[{"id":"one","asks":["push"]},{"id":"two","entered_by":["finished"]}]}"#
          .utf8),
      source: "f.json")
    let vocabulary = FlowVocabulary(flow)
    #expect(vocabulary.advice(for: "perm_push_authorized") == .meant("perm_push_granted"))
    #expect(vocabulary.advice(for: "perm_push_not_determined")?.text == "not an answer: nobody has been asked yet")
    #expect(vocabulary.advice(for: "perm_puhs_granted") == .meant("perm_push_granted"))
    #expect(vocabulary.advice(for: "finishd") == .meant("finished"))
    #expect(vocabulary.advice(for: "sunshine") == nil)
  }
}
