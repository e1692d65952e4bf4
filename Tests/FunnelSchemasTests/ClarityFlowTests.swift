@testable import FunnelModel
import FunnelSchemas
import Testing

/// What the definitions of clarity's flows say.
@Suite struct ClarityFlowTests {
  private static let challengeEvents = ["issued", "opened", "verified", "attempted", "failed", "skipped", "cancelled"].map {
    "challenge_\($0)"
  }

  @Test func `a challenge is issued, perhaps opened, and ends within 30 minutes`() throws {
    let flow = try FlowDefinition.shipped("clarity/prosocial_challenge@1")
    #expect(flow.window == TimeSpan("30m") && flow.countBy == .attempt)
    #expect(flow.steps.map(\.id) == ["issued", "opened", "succeeded"])
    #expect(flow.outcomeNames == ["verified!", "attempted!", "failed", "skipped", "cancelled"])
    let retention = FlowDefinition.Retention(
      events: TimeSpan("30d"), snapshots: TimeSpan("90d"), also: ["focus_session_*", "mood_*", "connection_*"])
    #expect(flow.retention == retention)
  }

  @Test(arguments: [
    ("textSomeone", "text_someone"), ("callSomeone", "call_someone"), ("replyToMessage", "reply_to_message"),
    ("voiceMemo", "voice_memo"), ("faceTime", "facetime"), ("contactParent", "contact_parent"), ("facetime", "facetime"),
    ("contact_parent", "contact_parent"),
  ])
  func `the app's own spelling of a type is accepted on every event and read as the id`(own: String, id: String) throws {
    let flow = try FlowDefinition.shipped("clarity/prosocial_challenge@1")
    for event in Self.challengeEvents {
      #expect(flow.refusal(of: event, ["type": .string(own)]) == nil)
      #expect(flow.value(of: "type", in: event, ["type": .string(own)]) == .string(id))
      #expect(flow.value(of: "type", in: event, [:]) == .null)
    }
    #expect(flow.refusal(of: "challenge_issued", ["type": .string("postcard")]) != nil)
  }

  @Test func `a layer that does not suit the type is accepted`() throws {
    let flow = try FlowDefinition.shipped("clarity/prosocial_challenge@1")
    for layer in 1...5 {
      for type in ["text_someone", "call_someone"] {
        #expect(flow.refusal(of: "challenge_issued", ["type": .string(type), "layer": .integer(Int64(layer))]) == nil)
      }
    }
    #expect(flow.refusal(of: "challenge_issued", ["layer": .integer(6)]) != nil)
  }

  @Test(
    arguments: [
      ("text_someone", nil, "15"), ("replyToMessage", nil, "15"), ("voice_memo", 400_000, "15"), ("call_someone", nil, "25"),
      ("callSomeone", 299_999, "25"), ("callSomeone", 300_000, "50"), ("facetime", 10_000, "30"), ("faceTime", 300_000, "50"),
      ("contact_parent", 20_000, "25"), ("contactParent", 900_000, "50"), ("text_someone", 900_000, "15"),
    ] as [(String, Int64?, String)])
  func `a verified challenge earns by its type, and more for a long call`(
    type: String, milliseconds: Int64?, points: String
  ) throws {
    let flow = try FlowDefinition.shipped("clarity/prosocial_challenge@1")
    var props: [String: PropertyValue] = ["type": .string(type), "method": .string("call_observer")]
    props["duration_ms"] = milliseconds.map(PropertyValue.integer)
    #expect(try flow.worth(of: "challenge_verified", in: "xp", props) == points)
    props["method"] = .string("auto_verified")
    #expect(try flow.worth(of: "challenge_verified", in: "xp", props) == "5")
    #expect(try flow.worth(of: "challenge_attempted", in: "xp", props) == "10")
    for event in ["challenge_failed", "challenge_skipped", "challenge_cancelled"] {
      #expect(try flow.worth(of: event, in: "xp", props) == nil)
    }
  }

  @Test func `a challenge's outcomes are broken down by what its events list, without measurements`() throws {
    let flow = try FlowDefinition.shipped("clarity/prosocial_challenge@1")
    #expect(
      flow.outcomes.map { flow.detailKeys(of: $0) } == [
        ["layer", "method", "target_app", "type"], ["layer", "target_app", "type"], ["layer", "reason", "target_app", "type"],
        ["layer", "target_app", "type"], ["layer", "target_app", "type"],
      ])
    #expect(flow.outcomes[0].valueKeys == ["duration_ms", "method", "type"])
  }

  @Test func `calls fail for other reasons than texts`() throws {
    let flow = try FlowDefinition.shipped("clarity/prosocial_challenge@1")
    var types: [String: [String]] = [:]
    for case .failureReason(let rule) in flow.rules { types[rule.reason] = rule.types }
    let calls = ["call_someone", "facetime", "contact_parent"]
    #expect(
      types == ["too_short": calls, "no_call": calls, "no_text": ["text_someone", "reply_to_message", "voice_memo"]])
  }

  @Test func `a paywall is shown for an hour, and what is restored in Settings enters it too`() throws {
    let flow = try FlowDefinition.shipped("clarity/paywall@1")
    #expect(flow.window == TimeSpan("1h") && flow.countBy == .attempt)
    #expect(flow.steps.map(\.id) == ["shown", "selected", "purchased"])
    #expect(flow.steps[0].kind == .event([.init(event: "paywall_shown"), .init(event: "purchase_restored")]))
    #expect(flow.outcomeNames == ["completed!", "cancelled", "pending", "failed", "restored!"])
  }

  @Test(arguments: [
    ("monthly", "monthly", "4.99"), ("yearly", "yearly", "39.99"), ("com.clarity.focus.monthly", "monthly", "4.99"),
    ("com.clarity.focus.yearly", "yearly", "39.99"),
  ])
  func `a purchase is worth its product's price, by any of its names`(logged: String, product: String, price: String) throws {
    let flow = try FlowDefinition.shipped("clarity/paywall@1")
    let props = ["product": PropertyValue.string(logged)]
    for event in ["selected"].map({ "product_\($0)" })
      + ["completed", "cancelled", "pending", "failed", "restored"].map({ "purchase_\($0)" })
    {
      #expect(flow.refusal(of: event, props) == nil)
      #expect(flow.value(of: "product", in: event, props) == .string(product))
    }
    #expect(try flow.worth(of: "purchase_completed", in: "USD", props) == price)
    #expect(try flow.worth(of: "purchase_completed", in: "USD") == nil)
    #expect(try flow.worth(of: "purchase_restored", in: "USD", props) == nil)
  }

  @Test func `a subscription ends in four ways, of which one is good`() throws {
    let flow = try FlowDefinition.shipped("clarity/subscription@1")
    #expect(flow.window == TimeSpan("3650d") && flow.countBy == .person)
    #expect(
      flow.steps.map(\.kind)
        == ["trial_started", "subscription_started", "subscription_renewed"].map { .event([EventPattern(event: $0)]) })
    #expect(flow.steps.map(\.isOptional) == [false, false, true])
    #expect(flow.outcomeNames == ["renewed!", "cancelled", "refunded", "expired"])
    #expect(flow.outcomes.map(\.events) == flow.outcomes.map { ["subscription_\($0.name)"] })
  }

  @Test(
    arguments: [
      ("text", nil, "15"), ("reply", nil, "15"), ("voice_memo", 400, "15"), ("voiceMemo", nil, "15"), ("call", 299, "25"),
      ("call", 300, "50"), ("facetime", 299, "30"), ("faceTime", 300, "50"), ("callSomeone", 300, "50"), ("visit", 300, nil),
    ] as [(String, Int64?, String?)])
  func `a connection earns what a challenge does`(type: String, seconds: Int64?, points: String?) throws {
    let flow = try FlowDefinition.shipped("clarity/connection@1")
    var props = ["type": PropertyValue.string(type)]
    props["duration_s"] = seconds.map(PropertyValue.integer)
    #expect(flow.refusal(of: "connection_logged", props) == nil)
    #expect(try flow.worth(of: "connection_logged", in: "xp", props) == points)
    #expect(flow.countBy == .attempt && flow.outcomeNames == ["logged!"])
    #expect(flow.retention?.events == TimeSpan("30d") && flow.retention?.snapshots == TimeSpan("90d"))
  }

  @Test func `a focus session is completed, abandoned or overridden`() throws {
    let flow = try FlowDefinition.shipped("clarity/focus_session@1")
    #expect(flow.steps.map(\.id) == ["started", "completed"] && flow.countBy == .attempt)
    #expect(flow.outcomeNames == ["completed!", "abandoned", "overridden"])
    #expect(flow.outcomes.map(\.events) == flow.outcomes.map { ["focus_session_\($0.name)"] })
    #expect(flow.retention?.events == TimeSpan("30d") && flow.retention?.snapshots == TimeSpan("90d"))
  }

  @Test func `more people or networks than the app allows are counted, not refused`() throws {
    let flow = try FlowDefinition.shipped("clarity/onboarding@2")
    for count in 0...9 as ClosedRange<Int64> {
      #expect(flow.refusal(of: "step_completed", step: "important_people", ["people": .integer(count)]) == nil)
      #expect(flow.refusal(of: "step_completed", step: "home_base", ["networks": .integer(count)]) == nil)
    }
    #expect(flow.refusal(of: "step_completed", step: "home_base", ["networks": .integer(-1)]) != nil)
    for gate in ["on", "off"] {
      #expect(flow.refusal(of: "step_completed", step: "home_base", ["wifi_gate": .string(gate)]) == nil)
    }
    #expect(flow.refusal(of: "step_completed", step: "home_base", ["wifi_gate": .string("home")]) != nil)
    #expect(flow.rules.contains(.maxItems(.init(step: "important_people", property: "people", limit: 5))))
    #expect(flow.rules.contains(.maxItems(.init(step: "home_base", property: "networks", limit: 3))))
  }
}
