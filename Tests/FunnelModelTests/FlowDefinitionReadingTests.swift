import FunnelModel
import Testing

@Suite struct FlowDefinitionReadingTests {
  @Test func `a definition with every key is read in full`() throws {
    let text = """
      {"app":"cleaner","flow":"permissions_flow","version":2,"title":"Permissions","window":"36h","count_by":"attempt",
       "steps":[{"id":"start","label":"Flow started","entered_by":["perm_flow_start",{"event":"screen","where":{"props.name":"Start","ctx.os":"ios","step":"s"}}]},
                {"id":"photos","label":"Photo access","permission":"photos","progress":0.5},
                {"id":"inside","asks":["push","contacts"],"optional":true}],
       "locks":{"photos":["duplicate_photos"],"push":[]},
       "rules":[{"rule":"pre_prompt_before_decision"},{"rule":"only_if_all_granted","step":"inside","permissions":["photos","push"],"n":3}],
       "events":{"perm_flow_start":{"props":{"trigger":{"enum":["first_launch",1,null]}}},"plain":{}},
       "outcomes":{"verified":{"label":"Verified","events":["challenge_verified"],"where":{"props.method":"x"},"success":true,"xp":{"text":15}},
                   "failed":{"events":["challenge_failed"],"success":false,"xp":5}},
       "upcasts":[{"from":"onboarding_step","to":{"name":"step_viewed","step":"$props.screen"}},{"from":"old","to":{"name":"step_viewed","step":"inside"}}],
       "retention":{"events":"30d","snapshots":"90d","also":["mood_*"]},"notes":["for people"]}
      """
    let flow = try FlowDefinition(json: Array(text.utf8), source: "f.json")
    #expect(flow.reference == "cleaner/permissions_flow@2")
    #expect(flow.title == "Permissions")
    #expect(flow.window == TimeSpan("36h"))
    #expect(flow.countBy == .attempt)
    let conditions = [
      PropertyCondition(field: .property("name"), value: .string("Start")),
      PropertyCondition(field: .context("os"), value: .string("ios")),
      PropertyCondition(field: .step, value: .string("s")),
    ]
    #expect(
      flow.steps[0].kind
        == .event([EventPattern(event: "perm_flow_start"), EventPattern(event: "screen", conditions: conditions)]))
    #expect(
      flow.steps[1]
        == FlowStep(id: "photos", label: "Photo access", kind: .permission("photos"), isOptional: false, progress: 0.5))
    #expect(
      flow.steps[2] == FlowStep(id: "inside", label: "inside", kind: .screen, isOptional: true, asks: ["push", "contacts"]))
    #expect(flow.locks == [.init(permission: "photos", features: ["duplicate_photos"]), .init(permission: "push")])
    #expect(flow.rules[0] == .init(name: "pre_prompt_before_decision"))
    #expect(
      flow.rules[1].parameters == [
        "step": [.string("inside")], "permissions": [.string("photos"), .string("push")], "n": [.integer(3)],
      ])
    #expect(flow.events.map(\.name) == ["perm_flow_start", "plain"])
    #expect(flow.events[0].props["trigger"]?.allowed == [.string("first_launch"), .integer(1), .null])
    let method = [PropertyCondition(field: .property("method"), value: .string("x"))]
    #expect(
      flow.outcomes == [
        .init(
          name: "verified", label: "Verified", events: ["challenge_verified"], conditions: method, isSuccess: true,
          experiencePoints: ["text": 15]),
        .init(name: "failed", label: "failed", events: ["challenge_failed"], isSuccess: false, experiencePoints: ["": 5]),
      ])
    #expect(
      flow.upcasts == [
        .init(from: "onboarding_step", name: "step_viewed", step: .field(.property("screen"))),
        .init(from: "old", name: "step_viewed", step: .literal(.string("inside"))),
      ])
    #expect(flow.retention == .init(events: TimeSpan("30d"), snapshots: TimeSpan("90d"), also: ["mood_*"]))
    #expect(flow.permissions.map(\.name) == ["photos", "push", "contacts"])
    #expect(flow.requiredSteps == [0, 1])
  }

  @Test func `what is left out has its default`() throws {
    let flow = try FlowDefinition(
      json: Array(#"{"app":"a","flow":"f","version":1.0,"steps":[{"id":"one"}]}"#.utf8), source: "f.json")
    #expect(
      flow
        == FlowDefinition(
          app: "a", flow: "f", version: 1, title: "f", window: TimeSpan(milliseconds: 604_800_000), countBy: .subject,
          steps: [FlowStep(id: "one", label: "one", kind: .screen, isOptional: false)]))
  }

  @Test func `the error of a definition is its first problem and the number of the others`() {
    let text = #"{"app":"a","flow":"f","version":0,"steps":[{"id":"A"}]}"#
    let error = #expect(throws: FunnelError.self) { try FlowDefinition(json: Array(text.utf8), source: "dir/f.json") }
    #expect(error?.code == .configuration)
    #expect(
      error?.message
        == "dir/f.json:1:33: $.version: a whole number from 1 is needed, not 0 (and 1 more, see 'funnel schema check')")
  }

  @Test func `no prefix of a definition crashes the reader or passes`() {
    let text =
      #"{"app":"a","flow":"f","version":1,"steps":[{"id":"one","asks":["p"]},{"id":"two","entered_by":["x"]}],"locks":{"p":[]}}"#
    let bytes = Array(text.utf8)
    for length in 0..<bytes.count {
      guard case .failure(let failure) = FlowDefinition.read(json: Array(bytes[..<length]), source: "f") else {
        Issue.record("\(length) bytes were accepted")
        continue
      }
      #expect(failure.problems.count == 1)
    }
  }
}
