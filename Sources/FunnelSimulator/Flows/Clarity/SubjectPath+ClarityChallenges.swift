import FunnelModel

/// The flow clarity/prosocial_challenge: a challenge that precedes the opening of an app; each is one attempt.
extension SubjectPath {
  private static let challengesADay = [30, 28, 20, 12, 6, 4]
  /// The number of real connections in a day after which the next challenge is verified automatically.
  private static let connectionsToAutoVerify = 3
  /// The longest connection, in milliseconds, that a call can have and still fail as too short.
  private static let shortCallMillisecondsMax: Int64 = 10_000

  mutating func runClarityChallenges() {
    enter(.clarityChallenge)
    throughActiveDays { path in path.challengeThroughDay() }
  }

  /// Simulates the challenges of one day. An auto-verified challenge is the last one, because the apps stay open afterwards.
  private mutating func challengeThroughDay() {
    let day = Timestamp(milliseconds: now).day
    var connections = 0
    for index in 0...random.index(byWeight: Self.challengesADay) {
      let challenge = nextChallenge(layer: UInt8(min(index + 1, 5)))
      let isAutomatic = connections >= Self.connectionsToAutoVerify || persona.fault == .earlyAutoVerify && attempt == 0
      log(.known(.challengeIssued), .challenge(challenge))
      if isAutomatic {
        transition()
        log(.known(.challengeVerified), .verified(challenge, .autoVerified, durationMilliseconds: 0))
      } else if meet(challenge), Timestamp(milliseconds: now).day == day {
        connections += 1
      }
      attempt += 1
      now += 60_000 + random.logNormal(medianMilliseconds: 3_600_000, spread: 0.9)
      // A challenge near midnight could end on the next day, whose connections are counted separately.
      if isAutomatic || Timestamp(milliseconds: now + 3_600_000).day != day { return }
    }
  }

  private mutating func nextChallenge(layer: UInt8) -> Challenge {
    let choices = ChallengeType.choices(layer: persona.fault == .wrongLayer ? 6 - layer : layer)
    return Challenge(
      type: choices.types[random.index(byWeight: choices.weights)], layer: layer,
      target: TargetApp.allCases[random.below(TargetApp.allCases.count)], usesOwnSpelling: persona.build.usesOwnSpelling)
  }

  /// The result of one try at a challenge.
  private enum Try {
    case connected, attempted, failed, cancelled
  }

  /// Simulates the reaction to one challenge. Some who fail, or reach nobody, try again.
  ///
  /// - Returns: Whether somebody was actually reached.
  private mutating func meet(_ challenge: Challenge) -> Bool {
    react(medianSeconds: 4)
    let draw = random.uniform()
    if draw < 0.09 {
      log(.known(.challengeSkipped), .challenge(challenge))
      return false
    }
    if draw < 0.14 {
      log(.known(.challengeCancelled), .challenge(challenge))
      return false
    }
    if draw < 0.18 { return false }
    switch attemptTry(challenge) {
    case .connected: return true
    case .cancelled: return false
    case .attempted: guard random.chance(0.2) else { return false }
    case .failed: guard random.chance(0.45) else { return false }
    }
    react(medianSeconds: 6)
    return attemptTry(challenge) == .connected
  }

  /// Opens Messages or Phone. A few come back and cancel.
  private mutating func attemptTry(_ challenge: Challenge) -> Try {
    log(.known(.challengeOpened), .challenge(challenge))
    if random.chance(0.04) {
      react(medianSeconds: 7)
      log(.known(.challengeCancelled), .challenge(challenge))
      return .cancelled
    }
    return challenge.type.isCall ? call(challenge) : write(challenge)
  }

  /// Simulates a message: verified after 30 s in Messages, and failed if 15 minutes pass with less than that.
  private mutating func write(_ challenge: Challenge) -> Try {
    if persona.fault == .wrongReason { return fail(challenge, .noCall) }
    guard random.chance(0.8) else {
      now += 900_000
      return fail(challenge, .noText, durationMilliseconds: random.integer(in: 0...29_999))
    }
    let duration = min(30_000 + random.logNormal(medianMilliseconds: 35_000, spread: 0.8), 840_000)
    now += duration
    let method: VerificationMethod = random.chance(0.7) ? .communicationCategory : .timerBased
    log(.known(.challengeVerified), .verified(challenge, method, durationMilliseconds: UInt32(duration)))
    return .connected
  }

  /// Simulates a call by phone or FaceTime: one that is connected for more than 10 s counts, ringing alone is an attempt, and nothing
  /// within 120 s is a failure.
  private mutating func call(_ challenge: Challenge) -> Try {
    if persona.fault == .wrongReason { return fail(challenge, .noText) }
    let draw = random.uniform()
    if draw < 0.13 {
      now += 120_000
      return fail(challenge, .noCall)
    }
    react(medianSeconds: 9)
    if draw < 0.37 {
      now += random.integer(in: 12_000...40_000)
      log(.known(.challengeAttempted), .challenge(challenge))
      return .attempted
    }
    if draw < 0.44 {
      let duration = random.integer(in: 1_500...Self.shortCallMillisecondsMax)
      now += duration
      return fail(challenge, .tooShort, durationMilliseconds: duration)
    }
    let duration =
      Self.shortCallMillisecondsMax + 1 + min(random.logNormal(medianMilliseconds: 110_000, spread: 1), 3_000_000)
    now += duration
    if persona.fault == .longCallTooShort {
      return fail(challenge, .tooShort, durationMilliseconds: duration)
    }
    log(.known(.challengeVerified), .verified(challenge, .callObserver, durationMilliseconds: UInt32(duration)))
    return .connected
  }

  private mutating func fail(_ challenge: Challenge, _ reason: Reason, durationMilliseconds: Int64 = 0) -> Try {
    log(.known(.challengeFailed), .failed(challenge, reason, durationMilliseconds: UInt32(durationMilliseconds)))
    return .failed
  }
}
