import FunnelModel
import Testing

/// The findings of a strict check, spelled out.
@Suite struct FlowFindingTests {
  private func file(_ flow: String, _ members: String, app: String = "a", version: Int = 1, origin: FlowFile.Origin = .user)
    throws
    -> FlowFile
  {
    let text = "{\"app\":\"\(app)\",\"flow\":\"\(flow)\",\"version\":\(version),\n\(members)}"
    return try FlowFile(json: Array(text.utf8), name: "\(flow).v\(version).json", origin: origin)
  }

  private func findings(_ files: FlowFile..., beside others: [FlowFile] = []) -> [String] {
    FlowFindings.findings(in: files, beside: others).flatMap { $0 }.map(\.description)
  }

  private func findings(_ members: String) throws -> [String] { findings(try file("f", members)) }

  private static let remedy = "so that both count an event without \"flow\": rename it in one of them, or say \"from_flows\":"

  @Test func `an event that two flows of an app declare is found in the later file`() throws {
    let first = try file("one", #""steps":[{"id":"s","entered_by":["started"]}]"#)
    let second = try file("two", #""steps":[{"id":"t"}],"events":{"started":{}}"#)
    #expect(
      findings(first, second) == [
        "two.v1.json:2:42: $.events.started: \"started\" is declared by a/one too (one.v1.json), \(Self.remedy) [\"one\"] if both should count it"
      ])
    #expect(
      findings(second, beside: [try file("one", #""steps":[{"id":"s","entered_by":["started"]}]"#, origin: .builtIn)]) == [
        "two.v1.json:2:42: $.events.started: \"started\" is declared by a/one too (built-in), \(Self.remedy) [\"one\"] if both should count it"
      ])
  }

  @Test func `steps and permissions of one name are shared too, each told once whatever the versions`() throws {
    let first = try file("one", #""steps":[{"id":"s","asks":["push"]}]"#)
    let second = try file("two", #""steps":[{"id":"s"},{"id":"p","permission":"push"}]"#)
    let newer = try file("two", #""steps":[{"id":"s"},{"id":"p","permission":"push"},{"id":"q"}]"#, version: 2)
    let tail = "declared by a/one too (one.v1.json), \(Self.remedy) [\"one\"] if both should count it"
    #expect(
      findings(first, second, newer) == [
        "two.v1.json:2:16: $.steps[0].id: the step_* events of \"s\" are \(tail)",
        "two.v1.json:2:44: $.steps[1].permission: the events of permission \"push\" are \(tail)",
      ])
    let single = try file("three", #""steps":[{"id":"x","entered_by":["perm_push_granted"]}]"#)
    #expect(
      findings(first, single) == [
        "three.v1.json:2:34: $.steps[0].entered_by[0]: \"perm_push_granted\" is \(tail)"
      ])
    #expect(
      findings(single, first) == [
        "one.v1.json:2:28: $.steps[0].asks[0]: \"perm_push_granted\" is declared by a/three too (three.v1.json), \(Self.remedy) [\"three\"] if both should count it"
      ])
  }

  @Test func `an event that enters two required steps is found at the later one`() throws {
    let tail = "one event matches only one step: give each step an event or a condition of its own"
    let steps =
      #""steps":[{"id":"s","entered_by":["opened"]},{"id":"t","entered_by":["tapped"]},{"id":"u","entered_by":["x","tapped"]}]"#
    #expect(
      try findings(steps) == [
        "f.v1.json:2:108: $.steps[2].entered_by[1]: \"tapped\" enters \"t\" too, but \(tail)"
      ])
    // An optional step is matched beside the required ones.
    #expect(try findings(steps.replacing(#"{"id":"u","#, with: #"{"id":"u","optional":true,"#)) == [])
    let apart = #"{"event":"tapped","where":{"props.button":"a"}}"#
    #expect(
      try findings(
        #""steps":[{"id":"s","entered_by":[\#(apart)]},{"id":"t","entered_by":[\#(apart.replacing("\"a\"", with: "\"b\""))]}]"#)
        == [])
  }

  @Test func `versions of one flow, flows of other apps, and flows that say so share events freely`() throws {
    let steps = #""steps":[{"id":"s","entered_by":["started"]}]"#
    #expect(findings(try file("f", steps), try file("f", steps, version: 2), try file("f", steps, app: "b")) == [])
    #expect(findings(try file("f", steps), try file("g", #""from_flows":["f"],\#(steps)"#)) == [])
    #expect(findings(try file("g", #""from_flows":"*",\#(steps)"#), try file("f", steps)) == [])
  }

  @Test func `a flow whose events are to be folded must be there`() throws {
    let flow = try file("f", #""from_flows":["gg","other"],"steps":[{"id":"s"}]"#)
    #expect(
      findings(flow, try file("g", #""steps":[{"id":"t"}]"#)) == [
        "f.v1.json:2:15: $.from_flows[0]: the app a has no flow \"gg\", did you mean \"g\"? check its definition together with this one",
        "f.v1.json:2:20: $.from_flows[1]: the app a has no flow \"other\", check its definition together with this one",
      ])
  }

  @Test(arguments: [
    (
      #""steps":[{"id":"s","entered_by":[{"event":"x","where":{"props.k":"b"}}]}],"events":{"x":{"props":{"k":{"enum":["a"]}}}}"#,
      "34: $.steps[0].entered_by[0]: nobody can enter the step: the schema of \"x\" says props.k must be one of \"a\", not \"b\""
    ),
    (
      #""steps":[{"id":"s","entered_by":["y",{"event":"x","where":{"props.k":null}}]}],"events":{"x":{"required":["k"]}}"#,
      "38: $.steps[0].entered_by[1]: no event can enter the step this way: props.k of \"x\" is required, so it is never absent"
    ),
    (
      #""steps":[{"id":"s","props":{"k":{"type":"integer"}},"entered_by":[{"event":"step_viewed","where":{"step":"s","props.k":"b"}}]}]"#,
      "67: $.steps[0].entered_by[0]: nobody can enter the step: the schema of \"step_viewed\" says props.k must be an integer, not \"b\""
    ),
    (
      #""steps":[{"id":"s","entered_by":[{"event":"x","where":{"step":7}}]}]"#,
      "34: $.steps[0].entered_by[0]: nobody can enter the step: a step id is a string, not 7"
    ),
    (
      #""steps":[{"id":"s","entered_by":[{"event":"x","where":{"step":"S"}}]}]"#,
      "34: $.steps[0].entered_by[0]: nobody can enter the step: \"S\" is not a valid step id, allowed: a lower-case letter, then up to 99 lower-case letters, digits and underscores"
    ),
    (
      #""steps":[{"id":"done","entered_by":[{"event":"step_viewed","where":{"step":"doen"}}]}]"#,
      "37: $.steps[0].entered_by[0]: nobody can enter the step: the flow has no step \"doen\", did you mean \"done\"?"
    ),
    (
      #""steps":[{"id":"s","entered_by":["x"]}],"upcasts":[{"from":"x","to":[{"name":"y"},{"name":"z"}]}]"#,
      "34: $.steps[0].entered_by[0]: nobody can enter the step: an upcast reads \"x\" as \"y\" and \"z\""
    ),
    (
      #""steps":[{"id":"s"}],"upcasts":[{"from":"step_viewed","to":{"name":"screen"}}]"#,
      "10: $.steps[0]: nobody can enter the step: an upcast reads \"step_viewed\" as \"screen\""
    ),
    (
      #""steps":[{"id":"s","permission":"p"}],"upcasts":[{"from":"perm_p_pre_prompt_shown","to":{"name":"y"}}]"#,
      "10: $.steps[0]: nobody can enter the step: an upcast reads \"perm_p_pre_prompt_shown\" as \"y\""
    ),
    (
      #""steps":[{"id":"s"}],"events":{"x":{"props":{"k":{"const":1}}}},"outcomes":{"o":{"events":["x"],"where":{"props.k":2},"success":true}}"#,
      "81: $.outcomes.o: nobody can have this outcome: the schema of \"x\" says props.k must be 1, not 2"
    ),
    (
      #""steps":[{"id":"s"}],"events":{"x":{"props":{"reason":{"enum":["a"]}}}},"rules":[{"rule":"failure_reason","event":"x","reason":"b"}]"#,
      "128: $.rules[0].reason: no event can have this value: the schema of \"x\" says props.reason must be one of \"a\", not \"b\""
    ),
  ])
  func `what no event can fulfil is found`(members: String, finding: String) throws {
    #expect(try findings(members) == ["f.v1.json:2:\(finding)"])
  }

  @Test(arguments: [
    #""steps":[{"id":"s","entered_by":[{"event":"x","where":{"props.k":"a"}}]}],"events":{"x":{"props":{"k":{"enum":["a"]}}}}"#,
    // An absent property violates no schema.
    #""steps":[{"id":"s","entered_by":[{"event":"x","where":{"props.k":null}}]}],"events":{"x":{"props":{"k":{"enum":["a"]}}}}"#,
    // An event made by an upcast was checked under the name with which it was logged.
    #""steps":[{"id":"s","entered_by":[{"event":"x","where":{"props.k":"b"}}]}],"events":{"x":{"props":{"k":{"enum":["a"]}}}},"upcasts":[{"from":"y","to":{"name":"x"}}]"#,
    #""steps":[{"id":"s","entered_by":["x"]}],"upcasts":[{"from":"x","to":[{"name":"x","props.k":1},{"name":"y"}]}]"#,
    // An optional step before the first required one is no mistake: some groups pass through it.
    #""steps":[{"id":"o","optional":true},{"id":"s"}]"#,
    #""steps":[{"id":"s","entered_by":[{"event":"screen","where":{"step":"elsewhere"}}]}]"#,
    #""steps":[{"id":"s","entered_by":[{"event":"x","where":{"step":null,"ctx.os":"iOS"}}]}]"#,
  ])
  func `what an event may fulfil is none`(members: String) throws {
    #expect(try findings(members) == [])
  }
}
