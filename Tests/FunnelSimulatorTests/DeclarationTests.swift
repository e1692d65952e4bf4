import FunnelModel
import FunnelSimulator
import Testing

private func definition(app: String, flow: String, version: Int) -> FlowDefinition? {
  FlowDefinition.shipped.first { $0.app == app && $0.flow == flow && $0.version == version }
}

@Test(arguments: Simulation.knownFlows)
func `every event is declared by its flow and valid under it`(flow: String) throws {
  let parts = flow.split(separator: "/").map(String.init)
  let log = try SimulatedLog(.sample([flow], subjects: 150, late: true, duplicates: true))
  let lines = log.parsed()
  #expect(lines.count == log.lines.count && lines.count > 300)
  for line in lines {
    #expect(line.app == parts[0])
    #expect(line.flow ?? parts[1] == parts[1])
    let flow = try #require(definition(app: parts[0], flow: parts[1], version: line.version ?? 1))
    #expect(flow.problems(with: line) == [])
  }
}

@Test func `every step and every outcome of every flow occurs`() throws {
  var names: Set<String> = []
  // A trial and a month pass before the first renewal.
  for line in try SimulatedLog(.sample(subjects: 500, days: 45)).parsed() {
    let flow = "\(line.app)/\(line.flow ?? (line.app == "cleaner" ? "permissions_flow" : "onboarding"))"
    names.insert("\(flow)@\(line.version ?? 1) \(line.name)")
    if let step = line.step { names.insert("\(flow)@\(line.version ?? 1) \(line.name) \(step)") }
  }
  #expect(FlowDefinition.shipped.count == 11)
  for flow in FlowDefinition.shipped {
    for step in flow.steps {
      switch step.kind {
      case .screen: #expect(names.contains("\(flow.reference) step_viewed \(step.id)"))
      case .permission(let permission):
        for suffix in ["pre_prompt_shown", "granted", "denied", "skipped"] {
          #expect(names.contains("\(flow.reference) perm_\(permission)_\(suffix)"), "perm_\(permission)_\(suffix)")
        }
      case .event(let patterns):
        for pattern in patterns { #expect(names.contains("\(flow.reference) \(pattern.event)")) }
      }
      for permission in step.asks {
        // Clarity's pre-prompts for contacts and location have no way past the dialog.
        let isPreAlert = flow.app == "clarity" && ["contacts", "location"].contains(permission)
        for suffix in ["pre_prompt_shown", "granted", "denied"] + (isPreAlert ? [] : ["skipped"]) {
          #expect(names.contains("\(flow.reference) perm_\(permission)_\(suffix)"))
        }
      }
    }
    for event in flow.outcomes.flatMap(\.events) { #expect(names.contains("\(flow.reference) \(event)")) }
  }
  #expect(
    names.contains { $0.hasSuffix("_dialog_dismissed") } && names.contains("cleaner/permissions_flow@1 perm_photos_limited"))
  #expect(names.contains("smilepile/onboarding@1 onboarding_step"))
  #expect(names.contains("smilepile/onboarding@1 has_completed_onboarding"))
  #expect(!names.contains("smilepile/onboarding@2 onboarding_step"))
}

@Test func `a version asked for is the only one that occurs`() throws {
  for version in 1...2 {
    let log = try SimulatedLog(.sample(["clarity/onboarding@\(version)", "smilepile/onboarding@\(version)"], subjects: 60))
    #expect(Set(log.parsed().map(\.version)) == [version])
  }
  let both = try SimulatedLog(.sample(["clarity/onboarding"], subjects: 200))
  #expect(Set(both.parsed().map(\.version)) == [1, 2])
}
