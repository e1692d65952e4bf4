import Foundation
import FunnelModel
import Testing

/// Returns the lines of an app's `SampleLogs/APP/planted.ndjson`, by subject.
private func planted(_ app: String) throws -> [[SimulatedLine]] {
  let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../SampleLogs/\(app)/planted.ndjson").standardized
  let lines = try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).compactMap { SimulatedLine(Array($0)) }
  return Dictionary(grouping: lines) { $0.subject }.values.map { $0.sorted { $0.time < $1.time } }
}

@Test(arguments: ["cleaner", "trendy", "clarity", "smilepile"])
func `the planted samples break each rule of an app and end in each way`(app: String) throws {
  var broken: Set<String> = []
  var names: Set<String> = []
  for sequence in try planted(app) {
    let flow = "\(app)/\(sequence[0].flow ?? "")"
    #expect(sequence[0].subject.hasPrefix("planted_"))
    broken.formUnion(flow == "clarity/prosocial_challenge" ? ChallengeChecker(sequence).broken : RuleChecker(sequence).broken)
    for line in sequence {
      let definition = try #require(
        FlowDefinition.shipped.first { $0.app == app && $0.flow == line.flow && $0.version == line.version })
      if sequence[0].subject != "planted_unknown_step" { #expect(definition.problems(with: line) == []) }
      names.insert(line.name)
    }
  }
  let rules = FaultCase.all.filter { $0.flow.hasPrefix("\(app)/") }.flatMap(\.rules)
  #expect(broken == Set(rules))
  for definition in FlowDefinition.shipped where definition.app == app {
    for event in definition.outcomes.flatMap(\.events) + definition.upcasts.map(\.from) {
      #expect(names.contains(event), "\(event)")
    }
  }
}
