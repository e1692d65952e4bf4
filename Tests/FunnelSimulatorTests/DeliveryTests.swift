import FunnelModel
import FunnelSimulator
import Testing

@Test func `duplicates have app, subject, name and id in common, and are 0.5 to 1 percent`() throws {
  let lines = try SimulatedLog(.sample(subjects: 400, duplicates: true)).parsed()
  let groups = Dictionary(grouping: lines) { "\($0.app) \($0.subject) \($0.name) \($0.identifier)" }
  let share = Double(lines.count - groups.count) / Double(lines.count)
  #expect((0.005...0.01).contains(share))
  let repeated = groups.values.filter { $0.count > 1 }
  // Some duplicates are sent again later; the first one then has the smallest corrected time.
  #expect(repeated.contains { Set($0.map(\.receivedAt)).count > 1 })
  #expect(repeated.contains { Set($0.map(\.receivedAt)).count == 1 })
  #expect(repeated.allSatisfy { group in group.allSatisfy { $0.trueTime >= group[0].trueTime && $0.time == group[0].time } })
  // Ids are unique except for those of the duplicates.
  #expect(Set(lines.map(\.identifier)).count == groups.count)
}

@Test func `without duplicates no id occurs twice`() throws {
  let lines = try SimulatedLog(.sample(subjects: 300, faults: false)).parsed()
  #expect(Set(lines.map(\.identifier)).count == lines.count)
}

@Test(arguments: Simulation.knownFlows)
func `1 to 3 percent of the lines are more than a day late, with both times of transit`(flow: String) throws {
  let lines = try SimulatedLog(.sample([flow], subjects: flow.hasSuffix("challenge") ? 500 : 1200, late: true)).parsed()
  let late = lines.filter { ($0.receivedAt ?? .min) > $0.time + 86_400_000 }
  #expect((0.008...0.035).contains(Double(late.count) / Double(lines.count)), "seed 20261101, \(late.count) of \(lines.count)")
  #expect(late.allSatisfy { $0.sentAt != nil })
  let times = lines.map(\.time)
  #expect(zip(times, times.dropFirst()).contains { $1 < $0 - 86_400_000 })
}

@Test func `clocks that are wrong can be put right`() throws {
  let regular = try SimulatedLog(.sample(["trendy/onboarding"], subjects: 400)).parsed()
  let faulty = try SimulatedLog(.sample(["trendy/onboarding"], subjects: 400, faults: true)).parsed()
  let times = Dictionary(regular.map { ("\($0.subject) \($0.identifier)", $0.time) }) { first, _ in first }
  var corrected = 0
  for line in faulty where line.receivedAt != nil {
    let expected = try #require(times["\(line.subject) \(line.identifier)"])
    #expect(abs(line.trueTime - expected) < 1000)
    if abs(line.time - expected) > 60_000 { corrected += 1 }
  }
  #expect(corrected > 50)
}

@Test func `faults break about two lines in a thousand, in all ways`() throws {
  let log = try SimulatedLog(.sample(subjects: 700, faults: true))
  let lines = log.lines
  var ways: [String: Int] = [:]
  for line in lines { if let way = damage(of: line) { ways[way, default: 0] += 1 } }
  let share = Double(ways.values.reduce(0, +)) / Double(lines.count)
  #expect((0.0013...0.003).contains(share))
  #expect(
    Set(ways.keys) == [
      "invalid_utf8", "invalid_json", "not_an_object", "missing_field", "invalid_field", "unsupported_version",
      "timestamp_out_of_range", "personal_data",
    ])
}

@Test func `without faults no line is broken`() throws {
  let lines = try SimulatedLog(.sample(subjects: 200, late: true, duplicates: true)).lines
  #expect(lines.allSatisfy { damage(of: $0) == nil })
}

@Test func `a misspelt name is a valid one that no flow declares`() throws {
  let lines = try SimulatedLog(.sample(subjects: 500, days: 30, faults: true)).lines.filter { damage(of: $0) == nil }
    .compactMap { SimulatedLine($0) }
  let vocabularies = FlowDefinition.shipped.map(FlowVocabulary.init)
  let undeclared = lines.filter { line in !vocabularies.contains { $0.declares(name: line.name, step: line.step) } }
  #expect((0.0005...0.002).contains(Double(undeclared.count) / Double(lines.count)))
  #expect(undeclared.contains { $0.name == "setp_viewed" })
  #expect(undeclared.allSatisfy { $0.name.utf8.allSatisfy { (97...122).contains($0) || $0 == 95 } })
}

/// Returns the reason in specification section 1 for which a line is to be rejected, or nil.
private func damage(of bytes: [UInt8]) -> String? {
  if String(validating: bytes, as: UTF8.self) == nil { return "invalid_utf8" }
  guard let document = try? JSONDocument(parsing: bytes) else { return "invalid_json" }
  guard case .object = document.root.value else { return "not_an_object" }
  let line = SimulatedLine(node: document.root)
  if line.node["v"] != nil { return "unsupported_version" }
  if line.node["ts"] == nil || line.node["subject"] == nil { return "missing_field" }
  if line.name.first?.isUppercase == true || line.version == 0 { return "invalid_field" }
  if line.time < Limits.timestampMillisecondsMin { return "timestamp_out_of_range" }
  if line.property("email") != nil || line.property("suggestedContactName") != nil || line.subject.hasPrefix("+") {
    return "personal_data"
  }
  return nil
}
