import FunnelModel
import FunnelSimulator
import Testing

/// Returns the challenges of each subject, each as its lines.
private func challenges(subjects: Int) throws -> [[[SimulatedLine]]] {
  try SimulatedLog(.sample(["clarity/prosocial_challenge"], subjects: subjects)).sequences().map { sequence in
    var order: [String] = []
    var lines: [String: [SimulatedLine]] = [:]
    for line in sequence {
      let attempt = line.attempt ?? ""
      if lines[attempt] == nil { order.append(attempt) }
      lines[attempt, default: []].append(line)
    }
    return order.map { lines[$0] ?? [] }
  }
}

private let outcomes: Set = [
  "challenge_verified", "challenge_attempted", "challenge_failed", "challenge_skipped", "challenge_cancelled",
]

@Test func `a challenge is issued, perhaps opened, and some that miss try again`() throws {
  var retries: Set<String> = []
  for challenge in try challenges(subjects: 150).joined() {
    #expect(challenge[0].name == "challenge_issued")
    let endings = challenge.filter { outcomes.contains($0.name) }
    #expect(endings.count <= 2)
    if endings.count == 2 { retries.insert(endings[0].name) }
    #expect(challenge.count { $0.name == "challenge_opened" } >= endings.count - 1)
    #expect(Set(challenge.map { $0.property("type")?.string }).count == 1)
  }
  #expect(retries == ["challenge_failed", "challenge_attempted"])
}

@Test func `layers ask for messages or calls, and older builds spell them as their source code does`() throws {
  var types: [String: Set<String>] = [:]
  for challenge in try challenges(subjects: 400).joined() {
    let isOld = challenge[0].appVersion == "1.3.0"
    let layer = challenge[0].property("layer")?.integer ?? 0
    types["\(isOld ? "old" : "new") \(layer)", default: []].insert(challenge[0].property("type")?.string ?? "")
  }
  let messages = (
    old: ["textSomeone", "replyToMessage", "voiceMemo"], new: ["text_someone", "reply_to_message", "voice_memo"]
  )
  let calls = (old: ["callSomeone", "faceTime", "contactParent"], new: ["call_someone", "facetime", "contact_parent"])
  for layer in 1...5 {
    let all = layer <= 2 ? messages : calls
    #expect(types["old \(layer)"]?.isSubset(of: all.old) == true)
    #expect(types["new \(layer)"] == Set(all.new))
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
    let isCall = ["call_someone", "facetime", "contact_parent"].contains(challenge[0].challengeType)
    var opened: Int64 = 0
    for line in challenge {
      if line.name == "challenge_opened" { opened = line.time }
      let (elapsed, duration) = (line.time - opened, line.property("duration_ms")?.integer)
      switch (line.name, line.property("reason")?.string) {
      case ("challenge_failed", "no_call"?): #expect(isCall && elapsed == 120_000 && duration == nil)
      case ("challenge_failed", "no_text"?): #expect(!isCall && elapsed == 900_000 && (0..<30_000).contains(duration ?? 0))
      case ("challenge_failed", "too_short"?): #expect(isCall && (1...10_000).contains(duration ?? 0))
      case ("challenge_verified", _) where opened > 0:
        #expect((duration ?? 0) >= (isCall ? 10_001 : 30_000))
        #expect(isCall == (line.property("method")?.string == "call_observer"))
      default: break
      }
      if let reason = line.property("reason")?.string { reasons.insert(reason) }
    }
  }
  #expect(reasons == ["no_call", "no_text", "too_short"])
}
