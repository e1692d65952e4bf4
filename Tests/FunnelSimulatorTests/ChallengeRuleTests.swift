import FunnelModel
import FunnelSimulator
import Testing

/// Returns the challenges of each subject, each as its lines.
private func challenges(subjects: Int) throws -> [[[SimulatedLine]]] {
  try SimulatedLog(.sample(["clarity/prosocial_challenge"], subjects: subjects)).journeys().map { journey in
    var order: [String] = []
    var lines: [String: [SimulatedLine]] = [:]
    for line in journey {
      let attempt = line.attempt ?? ""
      if lines[attempt] == nil { order.append(attempt) }
      lines[attempt, default: []].append(line)
    }
    return order.map { lines[$0] ?? [] }
  }
}

@Test func `a challenge is issued, perhaps opened, and ends at most once`() throws {
  let outcomes: Set = ["challenge_verified", "challenge_attempted", "challenge_failed", "challenge_skipped"]
  for challenge in try challenges(subjects: 150).joined() {
    #expect(challenge[0].name == "challenge_issued")
    #expect(challenge.count { outcomes.contains($0.name) } <= 1)
    #expect(Set(challenge.map { $0.property("type")?.string }).count == 1)
  }
}

@Test func `three real connections in a day verify the next challenge by themselves, and nothing else does`() throws {
  var automatic = 0
  for subject in try challenges(subjects: 400) {
    var connections: [CivilDate: Int] = [:]
    for challenge in subject {
      let issued = Timestamp(milliseconds: challenge[0].time).day
      let isDue = connections[issued, default: 0] >= 3
      let verified = challenge.first { $0.name == "challenge_verified" }
      let isAutomatic = verified?.property("method")?.string == "auto_verified"
      #expect(isAutomatic == isDue)
      if isAutomatic {
        automatic += 1
        #expect(challenge.map(\.name) == ["challenge_issued", "challenge_verified"])
      } else if let verified {
        connections[Timestamp(milliseconds: verified.time).day, default: 0] += 1
      }
    }
  }
  #expect(automatic > 20)
}

@Test func `failures keep the limits of flows.md`() throws {
  var reasons: Set<String> = []
  for challenge in try challenges(subjects: 300).joined() {
    guard let last = challenge.last, let opened = challenge.first(where: { $0.name == "challenge_opened" }) else { continue }
    let isCall = ["call_someone", "facetime"].contains(last.property("type")?.string)
    let elapsed = last.time - opened.time
    switch (last.name, last.property("reason")?.string) {
    case ("challenge_failed", "no_call"?): #expect(isCall && elapsed == 120_000)
    case ("challenge_failed", "no_text"?): #expect(!isCall && elapsed == 900_000)
    case ("challenge_failed", "too_short"?): #expect(isCall)
    case ("challenge_verified", _):
      #expect((last.property("duration_ms")?.integer ?? 0) >= (isCall ? 10_000 : 30_000))
      #expect(isCall == (last.property("method")?.string == "call_observer"))
    default: break
    }
    if let reason = last.property("reason")?.string { reasons.insert(reason) }
  }
  #expect(reasons == ["no_call", "no_text", "too_short"])
}

@Test func `a purchase ends the paywall`() throws {
  for journey in try SimulatedLog(.sample(["clarity/paywall"], subjects: 300)).journeys() {
    let endings = journey.indices.filter { ["purchase_completed", "purchase_restored"].contains(journey[$0].name) }
    #expect(endings.isEmpty || endings == [journey.count - 1])
    for showing in Dictionary(grouping: journey, by: { $0.attempt ?? "" }).values {
      #expect(showing.count { $0.name == "paywall_shown" } == 1)
    }
  }
}
