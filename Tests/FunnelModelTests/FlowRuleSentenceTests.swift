@testable import FunnelModel
import Testing

@Suite struct FlowRuleSentenceTests {
  @Test(
    arguments: [
      (
        FlowRule.advanceWhenAllHandled(.init(step: "asks", nextStep: "finish", permissions: ["a", "b", "c"])), "finish",
        "finish is entered only after a, b and c were answered or skipped"
      ),
      (
        .dialogAfter(.init(permissions: ["push", "location"])), "push",
        "the system's dialog for push opens only after perm_push_enable_tapped"
      ),
      (
        .dialogAfter(.init(permissions: ["push", "location"])), nil,
        "the system's dialog for push or location opens only after perm_<permission>_enable_tapped"
      ),
      (.noSecondDecision, "photos", "photos is not answered twice without a screen of the app that asks for it again"),
      (.noSecondDecision, nil, "a permission is not answered twice without a screen of the app that asks for it again"),
      (
        .onlyIfAllGranted(.init(step: "all_set", permissions: ["photos", "push"])), "all_set",
        "all_set is shown only if photos and push were granted"
      ),
      (.permissionOrder(.init(step: "asks", permissions: ["a", "b"])), nil, "permissions are asked for in the order a, b"),
      (
        .permissionProgress(
          .init(step: "asks", marks: [.init(permission: "a", progress: 0.8), .init(permission: "b", progress: 0.866_666_7)])),
        "b",
        "props.progress is 0.8667 for b"
      ),
      (
        .permissionProgress(
          .init(step: "asks", marks: [.init(permission: "a", progress: 0), .init(permission: "b", progress: 1)])), "asks",
        "props.progress is 0 for a and 1 for b"
      ),
      (
        .preAlertWithoutAlert(.init(permissions: ["selfie"], dialogKind: .camera)), "selfie",
        "the app's own screen for selfie leads to the system's dialog and offers no way past it"
      ),
      (
        .preAlertWithoutAlert(.init()), nil,
        "the app's own screen for camera, microphone, location, contacts, calendar or tracking leads to the system's dialog and offers no way past it"
      ),
      (.prePromptBeforeDecision, "photos", "photos is asked for on a screen of the app before the system's dialog"),
      (.prePromptBeforeDecision, nil, "each permission is asked for on a screen of the app before the system's dialog"),
      (
        .skipDelay(.init(milliseconds: 1500, permissions: ["push"])), "push",
        "push is skipped no sooner than 1.5 s after perm_push_skip_explained"
      ),
    ] as [(FlowRule, String?, String)])
  func `what a rule about permissions demands`(rule: FlowRule, target: String?, sentence: String) {
    #expect(rule.sentence(target: target) == sentence)
    #expect(rule.canBeBroken)
  }

  @Test(
    arguments: [
      (
        FlowRule.autoVerifyAfter(.init(connections: 3, period: .day, event: "won", method: "auto")), nil,
        "won with the method auto comes only after 3 earlier successes on the same day"
      ),
      (
        .autoVerifyAfter(.init(connections: 1, period: .week, event: "won", method: "auto")), nil,
        "won with the method auto comes only after 1 earlier success in the same week"
      ),
      (.backFrom(.init(steps: ["one", "two"])), "one", "step_back is possible only from one and two"),
      (.backFrom(.init(steps: ["one", "two"])), nil, "step_back is possible only from one and two"),
      (.backFrom(.init(steps: ["one", "two"])), "three", "step_back is not possible from three, only from one and two"),
      (.backFrom(.init(steps: [])), "three", "step_back is not possible from three"),
      (.skippable(.init(steps: ["pin"])), "one", "step_skipped is not possible on one, only on pin"),
      (.skippable(.init(steps: [])), nil, "step_skipped is possible on no step"),
      (
        .failureReason(.init(event: "lost", reason: "short", types: ["call", "facetime"], minimumMilliseconds: 10_000)), nil,
        "lost with the reason short is of the type call or facetime and lasted at most 10 s"
      ),
      (
        .failureReason(.init(event: "lost", reason: "none", withinMilliseconds: 120_000)), nil,
        "lost with the reason none is of any type, after 120 s without success"
      ),
      (.knownStep, nil, "every step event names a step of the flow"),
      (
        .maxItems(.init(step: "piles", property: "count", limit: 5)), "piles",
        "props.count is at most 5 when piles is completed"
      ),
      (
        .minItems(.init(step: "piles", property: "count", limit: 1)), "piles",
        "props.count is at least 1 when piles is completed"
      ),
      (.notAfterCompletion, nil, "the flow does not start again after it was completed"),
      (.progress, "auth", "props.progress has the value in the definition when auth is entered"),
      (.progress, nil, "props.progress has the value in the definition when a step is entered"),
      (
        .startTrigger(.init(event: "start", property: "why", first: "launch", untilCompleted: "again", forced: "flag")), nil,
        "props.why of start: launch only at the first start, again only at a later start before the flow was completed, flag at any start"
      ),
      (.startTrigger(.init(event: "start", property: "why")), nil, "props.why of start is the reason for the start"),
    ] as [(FlowRule, String?, String)])
  func `what a rule about steps and runs demands`(rule: FlowRule, target: String?, sentence: String) {
    #expect(rule.sentence(target: target) == sentence)
    #expect(rule.canBeBroken)
  }

  @Test(
    arguments: [
      (FlowRule.dismissedIsDenied(.init()), "a system dialog that was dismissed counts as denied"),
      (
        .grantUndisclosed(.init(permission: "health", note: "asked and answered")),
        "the system does not reveal whether health was granted: asked and answered"
      ),
      (.inferSkip, "a permission that was asked for and not answered counts as skipped if the flow went on"),
      (
        .limitedHint(.init(permission: "photos", hint: "Allow all.")), "with limited access to photos the app shows: Allow all."
      ),
      (.limitedIsAccess(.init(permissions: ["photos"])), "limited access to photos is access, but not a full grant"),
      (
        .lockedWhen(.init(decisions: [.denied, .skipped])),
        "a feature is locked if the answer for its permission is denied or skipped"
      ),
      (
        .manualEntryOnDenied(.init(step: "home", permission: "location", orWithout: "wifi")),
        "home falls back to manual entry if location is denied or there is no wifi"
      ),
      (.noPersonalData(.init(keys: ["pin", "ssid"])), "no event has a property named pin or ssid"),
      (
        .recoveredViaSettings(.init(event: "settings_tapped")),
        "access that was given after settings_tapped was recovered through Settings"
      ),
    ] as [(FlowRule, String)])
  func `the fact that a rule states`(rule: FlowRule, sentence: String) {
    #expect(rule.sentence(target: nil) == sentence)
    #expect(!rule.canBeBroken)
  }
}
