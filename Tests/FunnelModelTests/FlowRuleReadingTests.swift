@testable import FunnelModel
import Testing

@Suite struct FlowRuleReadingTests {
  private func rule(_ json: String) throws -> FlowRule {
    let text = """
      {"app":"a","flow":"f","version":1,"steps":[{"id":"one","asks":["photos","push"]},{"id":"two"}],
       "events":{"started":{}},"outcomes":{"won":{"events":["won"],"success":true},"lost":{"events":["lost"],"success":false}},
       "rules":[\(json)]}
      """
    return try FlowDefinition(json: Array(text.utf8), source: "f.json").rules[0]
  }

  @Test(arguments: [
    (
      #"{"rule":"advance_when_all_handled","step":"one","to":"two","permissions":["photos"]}"#,
      FlowRule.advanceWhenAllHandled(.init(step: "one", nextStep: "two", permissions: ["photos"]))
    ),
    (#"{"rule":"dialog_after","permissions":["push"]}"#, .dialogAfter(.init(button: .enableTapped, permissions: ["push"]))),
    (
      #"{"rule":"dialog_after","button":"pre_prompt_shown","permissions":["push"]}"#,
      .dialogAfter(.init(button: .prePromptShown, permissions: ["push"]))
    ),
    (
      #"{"rule":"only_if_all_granted","step":"two","permissions":["photos","push"]}"#,
      .onlyIfAllGranted(.init(step: "two", permissions: ["photos", "push"]))
    ),
    (
      #"{"rule":"permission_order","step":"one","permissions":["push","photos"]}"#,
      .permissionOrder(.init(step: "one", permissions: ["push", "photos"]))
    ),
    (
      #"{"rule":"permission_progress","step":"one","permissions":["photos","push"],"progress":[0.5,1]}"#,
      .permissionProgress(
        .init(step: "one", marks: [.init(permission: "photos", progress: 0.5), .init(permission: "push", progress: 1)]))
    ),
    (#"{"rule":"pre_alert_without_alert"}"#, .preAlertWithoutAlert(.init())),
    (
      #"{"rule":"pre_alert_without_alert","permissions":["photos"],"kind":"camera"}"#,
      .preAlertWithoutAlert(.init(permissions: ["photos"], dialogKind: .camera))
    ),
    (
      #"{"rule":"skip_delay","milliseconds":1500,"permissions":["push"]}"#,
      .skipDelay(.init(milliseconds: 1500, from: .skipExplained, to: .skipped, permissions: ["push"]))
    ),
    (
      #"{"rule":"skip_delay","milliseconds":0,"from":"denied","to":"skip_explained","permissions":["push"]}"#,
      .skipDelay(.init(milliseconds: 0, from: .denied, to: .skipExplained, permissions: ["push"]))
    ),
  ])
  func `a rule about what is asked`(json: String, expected: FlowRule) throws {
    #expect(try rule(json) == expected)
  }

  @Test(arguments: [
    (#"{"rule":"dismissed_is_denied"}"#, FlowRule.dismissedIsDenied(.init())),
    (#"{"rule":"dismissed_is_denied","reason":"x"}"#, .dismissedIsDenied(.init(reason: "x"))),
    (
      #"{"rule":"grant_undisclosed","permission":"push","note":"n"}"#, .grantUndisclosed(.init(permission: "push", note: "n"))
    ),
    (#"{"rule":"limited_hint","permission":"photos","hint":"h"}"#, .limitedHint(.init(permission: "photos", hint: "h"))),
    (#"{"rule":"limited_is_access","permissions":["photos"]}"#, .limitedIsAccess(.init(permissions: ["photos"]))),
    (
      #"{"rule":"locked_when","decisions":["unanswered","denied"]}"#, .lockedWhen(.init(decisions: [.unanswered, .denied]))
    ),
    (
      #"{"rule":"manual_entry_on_denied","step":"one","permission":"photos","or_without":"wifi"}"#,
      .manualEntryOnDenied(.init(step: "one", permission: "photos", orWithout: "wifi"))
    ),
    (#"{"rule":"recovered_via_settings","event":"started"}"#, .recoveredViaSettings(.init(event: "started"))),
  ])
  func `a rule about answers`(json: String, expected: FlowRule) throws {
    #expect(try rule(json) == expected)
  }

  @Test(arguments: [
    (#"{"rule":"back_from","steps":["one","two"]}"#, FlowRule.backFrom(.init(steps: ["one", "two"]))),
    (#"{"rule":"skippable","steps":[]}"#, .skippable(.init(steps: []))),
    (
      #"{"rule":"max_items","step":"one","prop":"n","maximum":5,"reason":"many"}"#,
      .maxItems(.init(step: "one", property: "n", limit: 5, reason: "many"))
    ),
    (#"{"rule":"min_items","step":"one","prop":"n","minimum":1}"#, .minItems(.init(step: "one", property: "n", limit: 1))),
    (
      #"{"rule":"start_trigger","event":"started","prop":"why","first":"a","until_completed":"b","forced":"c"}"#,
      .startTrigger(.init(event: "started", property: "why", first: "a", untilCompleted: "b", forced: "c"))
    ),
    (#"{"rule":"no_personal_data","keys":["contact name","pin"]}"#, .noPersonalData(.init(keys: ["contact name", "pin"]))),
  ])
  func `a rule about steps and what events carry`(json: String, expected: FlowRule) throws {
    #expect(try rule(json) == expected)
  }

  @Test(arguments: [
    (
      #"{"rule":"auto_verify_after","connections":3,"period":"week","event":"won","method":"m","skips":"two"}"#,
      FlowRule.autoVerifyAfter(.init(connections: 3, period: .week, event: "won", method: "m", skippedStep: "two"))
    ),
    (
      #"{"rule":"failure_reason","event":"lost","reason":"r","types":["a","b"],"minimum_milliseconds":1,"within_milliseconds":2}"#,
      .failureReason(
        .init(event: "lost", reason: "r", types: ["a", "b"], minimumMilliseconds: 1, withinMilliseconds: 2))
    ),
  ])
  func `a rule about attempts`(json: String, expected: FlowRule) throws {
    #expect(try rule(json) == expected)
  }

  @Test(arguments: [
    ("infer_skip", FlowRule.inferSkip), ("known_step", .knownStep), ("no_second_decision", .noSecondDecision),
    ("not_after_completion", .notAfterCompletion), ("pre_prompt_before_decision", .prePromptBeforeDecision),
    ("progress", .progress),
  ])
  func `a rule without parameters`(name: String, expected: FlowRule) throws {
    #expect(try rule("{\"rule\":\"\(name)\"}") == expected)
    #expect(expected.kind.rawValue == name)
  }
}
