import FunnelModel

/// Finds the rules of clarity's challenges that one subject breaks.
struct ChallengeChecker {
  /// The rules that the subject breaks.
  private(set) var broken: Set<String> = []

  private static let messages: Set = ["text_someone", "reply_to_message", "voice_memo"]
  private static let calls: Set = ["call_someone", "facetime", "contact_parent"]

  /// Reads the events of a subject, which must be sorted by time.
  init(_ events: [SimulatedLine]) {
    var earned: [CivilDate: Int] = [:]
    for event in events {
      guard let type = event.challengeType else { continue }
      let day = Timestamp(milliseconds: event.trueTime).day
      switch event.name {
      case "challenge_issued":
        let layer = event.property("layer")?.integer ?? 0
        let isDue = layer <= 2 ? Self.messages.contains(type) : Self.calls.contains(type)
        if !isDue || !(1...5).contains(layer) { broken.insert("layer") }
      case "challenge_verified" where event.property("method")?.string == "auto_verified":
        if earned[day, default: 0] < 3 { broken.insert("auto_verify_after") }
      case "challenge_verified", "challenge_attempted": earned[day, default: 0] += 1
      case "challenge_failed": checkFailure(event, type)
      default: break
      }
    }
  }

  private mutating func checkFailure(_ event: SimulatedLine, _ type: String) {
    let reason = event.property("reason")?.string
    let types = reason == "no_text" ? Self.messages : Self.calls
    if !types.contains(type) { broken.insert("failure_reason: type") }
    if reason == "too_short", event.property("duration_ms")?.integer ?? 0 > 10_000 { broken.insert("failure_reason: duration") }
  }
}

extension SimulatedLine {
  /// The type of a challenge as it is written today.
  var challengeType: String? {
    let spellings = [
      "textSomeone": "text_someone", "replyToMessage": "reply_to_message", "callSomeone": "call_someone",
      "voiceMemo": "voice_memo", "faceTime": "facetime", "contactParent": "contact_parent",
    ]
    return property("type")?.string.map { spellings[$0] ?? $0 }
  }
}
