@testable import FunnelModel
import Testing

@Suite struct FlowDefinitionReadingTests {
  @Test func `a definition with every key is read in full`() throws {
    let text = """
      {"app":"cleaner","flow":"permissions_flow","version":2,"title":"Permissions","window":"36h","count_by":"attempt",
       "app_versions":">= 3 <5.2","from_flows":["onboarding"],
       "steps":[{"id":"start","label":"Flow started","entered_by":["perm_flow_start",{"event":"screen","where":{"props.name":"Start","ctx.os":"ios","step":"s"}}]},
                {"id":"photos","label":"Photo access","permission":"photos","progress":0.5,"window":"10m","min_gap":"2s"},
                {"id":"inside","asks":["push",{"permission":"contacts","primed_by":"step"}],"optional":true,
                 "props":{"n":{"minimum":1}},"required":["n"]}],
       "exclude":[{"event":"started_over"},{"event":"step_back","after":"start","before":"photos"}],
       "locks":{"photos":["duplicate_photos"],"push":[]},
       "rules":[{"rule":"pre_prompt_before_decision"},{"rule":"only_if_all_granted","step":"inside","permissions":["photos","push"]}],
       "events":{"perm_flow_start":{"props":{"trigger":{"enum":["first_launch",1,null]}}},"plain":{"required":["a","b"]},
                 "step_failed":{"steps":[{"id":"inside","props":{"reason":{"const":"x"}},"required":["reason"]},{"id":"start"}]}},
       "outcomes":{"verified":{"label":"Verified","events":["challenge_verified"],"where":{"props.method":"x"},"success":true,"values":{"xp":15}},
                   "failed":{"events":["challenge_failed"],"success":false}},
       "upcasts":[{"from":"onboarding_step","to":{"name":"step_viewed","step":"$props.screen"}},{"from":"old","to":{"name":"step_viewed","step":"inside"}}],
       "retention":{"events":"30d","snapshots":"90d","also":["mood_*","?_2"]},"notes":["for people"]}
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
    var photos = FlowStep(id: "photos", label: "Photo access", kind: .permission("photos"), isOptional: false, progress: 0.5)
    photos.window = TimeSpan("10m")
    photos.minGap = TimeSpan("2s")
    #expect(flow.steps[1] == photos)
    var inside = FlowStep(id: "inside", label: "inside", kind: .screen, isOptional: true, asks: ["push", "contacts"])
    inside.permissionsPrimedOnEntry = ["contacts"]
    inside.props["n"] = .init()
    inside.props["n"]?.minimum = 1
    inside.requiredProps = ["n"]
    #expect(flow.steps[2] == inside)
    #expect(flow.appVersions == VersionRange(">= 3 <5.2"))
    #expect(flow.fromFlows == .flows(["onboarding"]))
    #expect(
      flow.exclusions == [.init(event: "started_over"), .init(event: "step_back", after: "start", before: "photos")])
    #expect(flow.locks == [.init(permission: "photos", features: ["duplicate_photos"]), .init(permission: "push")])
    #expect(
      flow.rules == [.prePromptBeforeDecision, .onlyIfAllGranted(.init(step: "inside", permissions: ["photos", "push"]))])
    #expect(flow.events.map(\.name) == ["perm_flow_start", "plain", "step_failed"])
    #expect(flow.events[1].required == ["a", "b"])
    #expect(flow.events[2].steps.map(\.step) == ["inside", "start"])
    #expect(flow.events[2].steps[0].props["reason"]?.constant == .string("x"))
    #expect(flow.events[2].steps.map(\.required) == [["reason"], []])
    #expect(flow.events[0].props["trigger"]?.allowed == [.string("first_launch"), .integer(1), .null])
    let method = [PropertyCondition(field: .property("method"), value: .string("x"))]
    #expect(
      flow.outcomes == [
        .init(
          name: "verified", label: "Verified", events: ["challenge_verified"], conditions: method, isSuccess: true,
          values: ["xp": [.init(source: .fixed(ExactDecimal(15)))]]),
        .init(name: "failed", label: "failed", events: ["challenge_failed"], isSuccess: false),
      ])
    #expect(
      flow.upcasts == [
        .init(from: "onboarding_step", name: "step_viewed", step: .field(.property("screen"))),
        .init(from: "old", name: "step_viewed", step: .literal(.string("inside"))),
      ])
    #expect(flow.retention == .init(events: TimeSpan("30d"), snapshots: TimeSpan("90d"), also: ["mood_*", "?_2"]))
    #expect(flow.permissions.map(\.name) == ["photos", "push", "contacts"])
    #expect(flow.requiredSteps == [0, 1])
  }

  @Test func `an upcast reads an event as several, with values of other fields and tables of values`() throws {
    let text = """
      {"app":"a","flow":"f","version":1,"steps":[{"id":"one"},{"id":"two"}],"from_flows":"*","upcasts":[
       {"from":"old","to":[{"name":"started","props.type":{"$map":"props.kind","values":{"textSomeone":"text_someone","7":true},"else":"keep"},
                            "props.build":"$ctx.build","props.n":3,"props.where":"$step","props.gone":null},
                           {"name":"step_viewed","step":{"$map":"props.screen","values":{"uno":"one"},"else":"two"}}]},
       {"from":"older","to":{"name":"other","props.x":{"$map":"step","values":{"one":1},"else":null}}}]}
      """
    let flow = try FlowDefinition(json: Array(text.utf8), source: "f.json")
    #expect(flow.fromFlows == .all)
    let kinds = FlowDefinition.UpcastMapping(values: ["textSomeone": .string("text_someone"), "7": .bool(true)])
    let screens = FlowDefinition.UpcastMapping(values: ["uno": .string("one")], otherwise: .string("two"))
    #expect(
      flow.upcasts == [
        .init(
          from: "old",
          targets: [
            .init(
              name: "started",
              props: [
                "type": .mapped(.property("kind"), kinds), "build": .field(.context("build")), "n": .literal(.integer(3)),
                "where": .field(.step), "gone": .literal(.null),
              ]),
            .init(name: "step_viewed", step: .mapped(.property("screen"), screens)),
          ]),
        .init(
          from: "older",
          targets: [
            .init(name: "other", props: ["x": .mapped(.step, .init(values: ["one": .integer(1)], otherwise: .null))])
          ]),
      ])
  }

  @Test func `what is left out has its default`() throws {
    let flow = try FlowDefinition(
      json: Array(#"{"app":"a","flow":"f","version":1.0,"steps":[{"id":"one"}]}"#.utf8), source: "f.json")
    #expect(
      flow
        == FlowDefinition(
          app: "a", flow: "f", version: 1, title: "f", window: TimeSpan(milliseconds: 604_800_000), countBy: .person,
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
