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
    #expect(FlowVocabulary(flow).declares(name: line.name, step: line.step), "\(line.name) \(line.step ?? "")")
    for declared in flow.events where declared.name == line.name {
      for (key, schema) in declared.props {
        guard let value = line.property(key)?.scalar else { continue }
        #expect(schema.violation(of: value, key: key) == nil)
      }
    }
  }
}

/// Outcome events of the definitions that no simulated app logs.
private let neverSimulated: Set = ["challenge_cancelled"]

@Test func `every step and every outcome of every simulated flow occurs`() throws {
  var names: Set<String> = []
  for line in try SimulatedLog(.sample(subjects: 700, days: 30)).parsed() {
    let flow = "\(line.app)/\(line.flow ?? (line.app == "cleaner" ? "permissions_flow" : "onboarding"))"
    names.insert("\(flow)@\(line.version ?? 1) \(line.name)")
    if let step = line.step { names.insert("\(flow)@\(line.version ?? 1) \(line.name) \(step)") }
  }
  let simulated = FlowDefinition.shipped.filter { Simulation.knownFlows.contains("\($0.app)/\($0.flow)") }
  #expect(simulated.count == 8)
  for flow in simulated {
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
        for suffix in ["pre_prompt_shown", "granted", "denied", "skipped"] {
          #expect(names.contains("\(flow.reference) perm_\(permission)_\(suffix)"))
        }
      }
    }
    for event in flow.outcomes.flatMap(\.events) where !neverSimulated.contains(event) {
      #expect(names.contains("\(flow.reference) \(event)"))
    }
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
