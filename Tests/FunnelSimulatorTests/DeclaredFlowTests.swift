import FunnelModel
import FunnelSimulator
import Testing

extension SimulationOptions {
  /// Returns options that simulate all flows of some definitions, or those that are named.
  fileprivate static func declared(
    _ definitions: [FlowDefinition], flows: [String]? = nil, subjects: Int = 400, faults: Bool = false
  ) -> SimulationOptions {
    var options = SimulationOptions.sample(flows ?? definitions.map(\.reference), subjects: subjects, faults: faults)
    options.definitions = definitions
    return options
  }
}

extension FlowDefinition {
  fileprivate init(_ json: String) throws {
    self = try FlowDefinition(json: Array(json.utf8), source: "test.json")
  }

  /// A flow with a step of every kind.
  fileprivate static func shop(appVersions: String = ">=2.0", version: Int = 1) throws -> FlowDefinition {
    try FlowDefinition(
      #"""
      {"app":"shop","flow":"welcome","version":\#(version),"title":"Welcome","window":"7d","app_versions":"\#(appVersions)",
       "steps":[
         {"id":"intro","label":"Intro","progress":0},
         {"id":"camera","label":"Camera","permission":"camera","progress":0.25},
         {"id":"alerts","label":"Alerts","asks":["notifications",{"permission":"tracking","primed_by":"step"}],"progress":0.5},
         {"id":"plan","label":"Plan","entered_by":[{"event":"plan_chosen","where":{"props.kind":"paid","ctx.store":"eu"}},"plan_given"]},
         {"id":"gift","label":"Gift","optional":true,"props":{"items":{"type":"integer"}},"required":["items"]},
         {"id":"done","label":"Done","progress":1,"min_gap":"1m"}],
       "rules":[{"rule":"skip_delay","milliseconds":4000,"permissions":["notifications"]},
         {"rule":"max_items","step":"gift","prop":"items","maximum":3},
         {"rule":"min_items","step":"gift","prop":"items","minimum":2},
         {"rule":"skippable","steps":["intro"]},{"rule":"back_from","steps":["alerts"]},
         {"rule":"pre_alert_without_alert"}],
       "events":{"plan_chosen":{"props":{"kind":{"enum":["paid","free"]},"price":{"type":"number","minimum":0.5,"maximum":0.75}},
           "required":["price"]},
         "step_failed":{"props":{"reason":{"enum":["offline"]}},"required":["reason"]}}}
      """#)
  }

  /// A flow that counts attempts, with outcomes.
  fileprivate static func order() throws -> FlowDefinition {
    try FlowDefinition(
      #"""
      {"app":"shop","flow":"order","version":1,"title":"Order","window":"1h","count_by":"attempt",
       "steps":[{"id":"cart","label":"Cart","entered_by":["cart_opened"]},
         {"id":"paid","label":"Paid","entered_by":["order_paid","order_invoiced"]}],
       "events":{"cart_opened":{"props":{"currency":{"type":"string","minLength":3,"maxLength":3},"size":{"type":"integer","minimum":7}}},
         "order_paid":{"props":{"currency":{"type":"string","minLength":3,"maxLength":3},"gift":{"type":"boolean"},"none":{"type":"null"},
           "code":{"const":"x-1"},"sku":{"type":"string","pattern":"^[A-Z]{2}$"},"discount":{"maximum":-3.5}}}},
       "outcomes":{"paid":{"label":"Paid","events":["order_paid","order_invoiced"],"success":true},
         "lost":{"label":"Lost","events":["order_cancelled"],"where":{"props.by":"customer"},"success":false},
         "failed":{"label":"Failed","events":["order_failed"],"success":false}}}
      """#)
  }
}

/// The groups of a log: the lines of each subject, or of each attempt.
private func groups(_ log: SimulatedLog, of flow: FlowDefinition) -> [[SimulatedLine]] {
  log.sequences().flatMap { sequence in
    let own = sequence.filter { $0.flow == flow.flow }
    return flow.countBy != .attempt ? [own] : Dictionary(grouping: own) { $0.attempt ?? "" }.values.map { $0 }
  }.filter { !$0.isEmpty }
}

@Test func `a flow of one's own is walked through in order, by fewer at each step`() throws {
  let flow = try FlowDefinition.shop()
  let log = try SimulatedLog(.declared([flow], subjects: 1000))
  let steps: [(SimulatedLine) -> Bool] = [
    { $0.name == "step_viewed" && $0.step == "intro" }, { $0.name == "perm_camera_pre_prompt_shown" },
    { $0.name == "step_viewed" && $0.step == "alerts" }, { $0.name.hasPrefix("plan_") }, { $0.step == "done" },
  ]
  var reached = Array(repeating: 0, count: steps.count)
  for group in groups(log, of: flow) {
    var rest = group[...]
    for (index, step) in steps.enumerated() {
      guard let match = rest.firstIndex(where: step) else { break }
      reached[index] += 1
      rest = rest[(match + 1)...]
    }
  }
  #expect(reached[0] == 1000)
  for (before, after) in zip(reached, reached.dropFirst()) {
    #expect((0.75...0.98).contains(Double(after) / Double(before)), "\(reached)")
  }
}

@Test func `its events are declared and valid, and meet the conditions of its steps`() throws {
  let definitions = try [FlowDefinition.shop(), .order()]
  let log = try SimulatedLog(.declared(definitions))
  #expect(log.parsed().count == log.lines.count)
  for line in log.parsed() {
    let flow = try #require(definitions.first { $0.flow == line.flow })
    #expect(line.app == "shop" && line.version == 1)
    #expect(flow.problems(with: line) == [])
    if line.name == "plan_chosen" {
      #expect(line.property("kind")?.string == "paid" && line.node["ctx"]?["store"]?.string == "eu")
    }
    if line.name == "order_cancelled" { #expect(line.property("by")?.string == "customer") }
    if line.step == "gift", line.name == "step_completed" { #expect((2...3).contains(line.property("items")?.integer ?? 0)) }
  }
  let names = Set(log.parsed().map(\.name))
  #expect(
    names.isSuperset(of: [
      "plan_chosen", "plan_given", "step_failed", "step_skipped", "step_back", "perm_notifications_skipped",
    ]))
  #expect(Set(log.parsed().map(\.appVersion)) == ["2.0"])
  let paid = log.parsed().filter { $0.name == "order_paid" }
  #expect(Set(paid.map { $0.property("sku")?.string }).isSubset(of: ["AB", "DE"]) && !paid.isEmpty)
  #expect(Set(paid.compactMap { $0.property("gift")?.bool }) == [true, false])
}

@Test func `permissions have a pre-prompt and a decision, and keep the rules of the definition`() throws {
  var skips = 0
  for sequence in try SimulatedLog(.declared([.shop()])).sequences() {
    // Where a step primes a permission, no other event does.
    #expect(RuleChecker(sequence.filter { $0.step == nil && !$0.name.hasPrefix("perm_tracking") }).broken == [])
    for (before, after) in zip(sequence, sequence.dropFirst()) where after.name.hasSuffix("_skipped") && after.step == nil {
      #expect(after.name == "perm_notifications_skipped" && after.time - before.time == 4000)
      skips += 1
    }
    let entries = sequence.filter { $0.name.hasPrefix("plan_") || $0.name == "step_viewed" && $0.step == "done" }
    for (plan, done) in zip(entries, entries.dropFirst()) where done.step == "done" { #expect(done.time - plan.time >= 60_000) }
  }
  #expect(skips > 20)
}

@Test func `attempts have ids of their own, and each has one outcome at most`() throws {
  let flow = try FlowDefinition.order()
  let outcomes: Set = ["order_paid", "order_invoiced", "order_cancelled", "order_failed"]
  let log = try SimulatedLog(.declared([flow]))
  let attempts = groups(log, of: flow)
  #expect(attempts.count > 700)
  #expect(attempts.allSatisfy { $0[0].name == "cart_opened" && $0.count { outcomes.contains($0.name) } <= 1 })
  #expect(Set(attempts.compactMap(\.last?.name)) == outcomes.union(["cart_opened"]))
  // What tells attempts apart stays the same within one.
  #expect(attempts.allSatisfy { Set($0.compactMap { $0.property("currency")?.string }).count <= 1 })
  #expect(Set(attempts.compactMap { $0[0].property("currency")?.string }).count > 1)
  #expect(Set(attempts.map { $0[0].attempt }).count == attempts.count)
}

@Test(arguments: FlowDefinition.shipped.map(\.reference))
func `a known flow can be simulated from its definition too`(reference: String) throws {
  let flow = try #require(FlowDefinition.shipped.first { $0.reference == reference })
  let log = try SimulatedLog(.declared([flow], subjects: 300))
  #expect(log.parsed().count > 300 && log.parsed().count == log.lines.count)
  for line in log.parsed() {
    #expect(line.app == flow.app && line.flow == flow.flow && line.version == flow.version)
    #expect(flow.problems(with: line) == [])
  }
  guard flow.flow == "onboarding" || flow.app == "cleaner" else { return }
  for sequence in log.sequences() { #expect(RuleChecker(sequence).broken == []) }
}

@Test func `faults break the rules that hold for every flow`() throws {
  var broken: Set<String> = []
  let log = try SimulatedLog(.declared([.shop()], subjects: 4000, faults: true))
  for sequence in log.sequences() {
    let prompts = sequence.filter { $0.name.hasPrefix("perm_camera") }
    broken.formUnion(RuleChecker(prompts).broken)
    if sequence.contains(where: { $0.step == "tips" }) { broken.insert("known_step") }
    let done = sequence.firstIndex { $0.name == "step_viewed" && $0.step == "done" } ?? sequence.endIndex
    if sequence[done...].contains(where: { $0.step == "intro" }) { broken.insert("not_after_completion") }
    if sequence.contains(where: { $0.name == "perm_camera_skipped" }) { broken.insert("pre_alert_without_alert") }
  }
  #expect(
    broken == [
      "pre_prompt_before_decision", "no_second_decision", "known_step", "not_after_completion", "pre_alert_without_alert",
    ])
}

@Test func `subjects use one build, which has the versions of the flows that are for it`() throws {
  let definitions = try [FlowDefinition.shop(), .shop(appVersions: "<2.0", version: 2), .order()]
  var flows: Set<String?> = []
  for sequence in try SimulatedLog(.declared(definitions, subjects: 200)).sequences() {
    #expect(Set(sequence.map(\.appVersion)).count == 1)
    let versions = Set(sequence.filter { $0.flow == "welcome" }.map(\.version))
    #expect(versions == [sequence[0].appVersion == "2.0" ? 1 : 2])
    #expect(["2.0", "1.1"].contains(sequence[0].appVersion))
    flows.formUnion(sequence.map(\.flow))
  }
  #expect(flows == ["welcome", "order"])
}

@Test func `definitions are selected by name, and replace known flows`() throws {
  let own = try [FlowDefinition.shop(), .order()]
  let one = try SimulatedLog(.declared(own, flows: ["shop/order"], subjects: 20)).parsed()
  #expect(Set(one.map(\.flow)) == ["order"])
  let all = try SimulatedLog(.declared(own, flows: ["all"], subjects: 20)).parsed()
  #expect(Set(all.map(\.app)) == ["cleaner", "trendy", "clarity", "smilepile", "shop"])
  let replaced = try #require(FlowDefinition.shipped.first { $0.reference == "trendy/onboarding@1" })
  let trendy = try SimulatedLog(.declared([replaced], flows: ["trendy/onboarding"], subjects: 50)).parsed()
  #expect(Set(trendy.map(\.appVersion)) == ["1.0"])
}

@Test func `an unknown flow or version is refused, and so is a property without a value`() throws {
  let own = try [FlowDefinition.shop(), .shop(appVersions: ">=3", version: 4)]
  func expect(_ message: String, _ flow: String) {
    #expect(throws: FunnelError(.usage, message)) { try Simulation(.declared(own, flows: [flow])) }
  }
  expect("--flow shop/welcome@2: there is no version 2, use @1 or @4 or leave it out", "shop/welcome@2")
  let known = Simulation.knownFlows.joined(separator: ", ")
  expect(
    "--flow shop/welcom: no such flow; did you mean shop/welcome? The flows are \(known), shop/welcome, all", "shop/welcom")
  let odd = try FlowDefinition(
    #"""
    {"app":"a","flow":"b","version":1,"title":"B","window":"1d","steps":[{"id":"c","label":"C","entered_by":["d"]}],
     "events":{"d":{"props":{"e":{"type":"string","pattern":"^q{9}$"}},"required":["e"]}}}
    """#)
  #expect(
    throws: FunnelError(
      .configuration, "a/b@1: no value can be invented for props.e, which d requires, list some in \"enum\"")
  ) { try Simulation(.declared([odd])) }
}

@Test func `the same definitions give the same bytes`() throws {
  let options = try SimulationOptions.declared([.shop(), .order()], subjects: 60, faults: true)
  #expect(try SimulatedLog(options).bytes == SimulatedLog(options).bytes)
}
