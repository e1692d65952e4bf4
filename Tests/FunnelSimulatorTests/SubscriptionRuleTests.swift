import FunnelModel
import FunnelSimulator
import Testing

@Test func `a purchase ends the paywall, and one that is restored in Settings needs no showing`() throws {
  var restored: Set<Bool> = []
  var products: [String: Set<String>] = [:]
  for sequence in try SimulatedLog(.sample(["clarity/paywall"], subjects: 600)).sequences() {
    let endings = sequence.indices.filter { ["purchase_completed", "purchase_restored"].contains(sequence[$0].name) }
    #expect(endings.isEmpty || endings == [sequence.count - 1])
    for attempt in Dictionary(grouping: sequence, by: { $0.attempt ?? "" }).values {
      let isShown = attempt[0].name == "paywall_shown"
      #expect(isShown ? attempt.count { $0.name == "paywall_shown" } == 1 : attempt.map(\.name) == ["purchase_restored"])
      if attempt.contains(where: { $0.name == "purchase_restored" }) { restored.insert(isShown) }
    }
    for line in sequence where line.name == "product_selected" {
      products[line.appVersion == "1.3.0" ? "old" : "new", default: []].insert(line.property("product")?.string ?? "")
    }
  }
  #expect(restored == [true, false])
  #expect(
    products == ["old": ["com.clarity.focus.monthly", "com.clarity.focus.yearly"], "new": ["monthly", "yearly"]])
}

@Test func `a subscription begins with a trial, is renewed by its period and expires after it was cancelled`() throws {
  let day = Timestamp.millisecondsPerDay
  let next: [String: Set<String>] = [
    "trial_started": ["subscription_started", "subscription_cancelled", "subscription_expired"],
    "subscription_started": [
      "subscription_renewed", "subscription_cancelled", "subscription_expired", "subscription_refunded",
    ],
    "subscription_renewed": ["subscription_renewed", "subscription_cancelled", "subscription_expired"],
    "subscription_cancelled": ["subscription_expired"],
  ]
  var names: Set<String> = []
  for sequence in try SimulatedLog(.sample(["clarity/subscription"], subjects: 500, days: 120)).sequences() {
    #expect(sequence[0].name == "trial_started")
    names.formUnion(sequence.map(\.name))
    let isMonthly = sequence[0].property("product")?.string == "monthly"
    for (line, following) in zip(sequence, sequence.dropFirst()) {
      #expect(next[line.name]?.contains(following.name) == true, "\(line.name), \(following.name)")
      switch following.name {
      case "subscription_started": #expect(following.time - line.time == (isMonthly ? 3 : 7) * day)
      case "subscription_renewed": #expect(following.time - line.time == (isMonthly ? 30 : 365) * day)
      default: break
      }
    }
  }
  #expect(names.count == 6)
}

@Test func `without the paywall's purchase there is no subscription`() throws {
  let log = try SimulatedLog(.sample(["clarity/paywall", "clarity/subscription"], subjects: 500))
  for sequence in log.sequences() {
    guard let trial = sequence.firstIndex(where: { $0.name == "trial_started" }) else { continue }
    #expect(sequence[..<trial].last?.name == "purchase_completed")
  }
}

@Test func `each connection and each focus session is an attempt of its own`() throws {
  var types: Set<String> = []
  for sequence in try SimulatedLog(.sample(["clarity/connection"], subjects: 200)).sequences() {
    #expect(Set(sequence.map(\.attempt)).count == sequence.count)
    for line in sequence {
      types.insert(line.property("type")?.string ?? "")
      #expect(line.property("duration_s")?.integer ?? 0 > 0)
    }
  }
  #expect(types == ["text", "reply", "call", "voice_memo", "facetime"])

  var endings: Set<String> = []
  for sequence in try SimulatedLog(.sample(["clarity/focus_session"], subjects: 300)).sequences() {
    for session in Dictionary(grouping: sequence, by: { $0.attempt ?? "" }).values {
      #expect(session[0].name == "focus_session_started" && session.count <= 2)
      guard session.count == 2 else { continue }
      let isStrict = session[1].property("strict")?.bool == true
      endings.insert("\(session[1].name)\(isStrict ? ", strict" : "")")
      if session[1].name == "focus_session_overridden" { #expect(session[1].time - session[0].time >= 30_000) }
    }
  }
  #expect(
    endings == [
      "focus_session_completed", "focus_session_completed, strict", "focus_session_abandoned",
      "focus_session_overridden, strict",
    ])
}
