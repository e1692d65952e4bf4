import FunnelModel

/// The flow clarity/prosocial_challenge: a challenge that precedes the opening of an app; each is one attempt.
extension SubjectPath {
  private static let challengesADay = [30, 28, 20, 12, 6, 4]
  private static let typeWeights = [34, 22, 20, 14, 10]
  private static let types: [ChallengeType] = [.textSomeone, .replyToMessage, .callSomeone, .voiceMemo, .facetime]
  private static let activeDaysMax = 14
  /// The number of real connections in a day after which the next challenge is verified automatically.
  private static let connectionsToAutoVerify = 3

  mutating func runClarityChallenges() {
    enter(.clarityChallenge)
    for _ in 0..<Self.activeDaysMax {
      challengeThroughDay()
      guard random.chance(0.75) else { return }
      now = nextMorning()
    }
  }

  private func nextMorning() -> Int64 {
    let day = CivilDate(daysSinceEpoch: Timestamp(milliseconds: now).day.daysSinceEpoch + 1)
    return day.midnight.milliseconds + 25_200_000 + Int64(persona.key % 21_600_000)
  }

  /// Simulates the challenges of one day. An auto-verified challenge is the last one, because the apps stay open afterwards.
  private mutating func challengeThroughDay() {
    let day = Timestamp(milliseconds: now).day
    var connections = 0
    for index in 0...random.index(byWeight: Self.challengesADay) {
      let challenge = Challenge(
        type: Self.types[random.index(byWeight: Self.typeWeights)], layer: UInt8(min(index + 1, 5)),
        target: TargetApp.allCases[random.below(TargetApp.allCases.count)])
      let isAutomatic = connections >= Self.connectionsToAutoVerify
      log(.challengeIssued, .challenge(challenge))
      if isAutomatic {
        transition()
        log(.challengeVerified, .verified(challenge, .autoVerified, durationMilliseconds: 0))
      } else if meet(challenge), Timestamp(milliseconds: now).day == day {
        connections += 1
      }
      attempt += 1
      now += 60_000 + random.logNormal(medianMilliseconds: 3_600_000, spread: 0.9)
      // A challenge near midnight could end on the next day, whose connections are counted separately.
      if isAutomatic || Timestamp(milliseconds: now + 3_600_000).day != day { return }
    }
  }

  /// Simulates the reaction to one challenge.
  ///
  /// - Returns: Whether somebody was actually reached.
  private mutating func meet(_ challenge: Challenge) -> Bool {
    react(medianSeconds: 4)
    let draw = random.uniform()
    if draw < 0.11 {
      log(.challengeSkipped, .challenge(challenge))
      return false
    }
    if draw < 0.16 { return false }
    log(.challengeOpened, .challenge(challenge))
    return challenge.type.isCall ? call(challenge) : write(challenge)
  }

  /// Simulates a message: verified after 30 s, and failed if 15 minutes pass without 30 s of messaging.
  private mutating func write(_ challenge: Challenge) -> Bool {
    guard random.chance(0.8) else {
      now += 900_000
      log(.challengeFailed, .failed(challenge, .noText))
      return false
    }
    let duration = min(30_000 + random.logNormal(medianMilliseconds: 35_000, spread: 0.8), 840_000)
    now += duration
    let method: VerificationMethod = random.chance(0.7) ? .communicationCategory : .timerBased
    log(.challengeVerified, .verified(challenge, method, durationMilliseconds: UInt32(duration)))
    return true
  }

  /// Simulates a call by phone or FaceTime: one that is connected for 10 s counts, ringing alone is an attempt, and nothing within
  /// 120 s is a failure.
  private mutating func call(_ challenge: Challenge) -> Bool {
    let draw = random.uniform()
    if draw < 0.13 {
      now += 120_000
      log(.challengeFailed, .failed(challenge, .noCall))
      return false
    }
    react(medianSeconds: 9)
    if draw < 0.37 {
      now += random.integer(in: 12_000...40_000)
      log(.challengeAttempted, .challenge(challenge))
      return false
    }
    if draw < 0.44 {
      now += random.integer(in: 1_500...9_900)
      log(.challengeFailed, .failed(challenge, .tooShort))
      return false
    }
    let duration = min(10_000 + random.logNormal(medianMilliseconds: 110_000, spread: 1), 3_000_000)
    now += duration
    log(.challengeVerified, .verified(challenge, .callObserver, durationMilliseconds: UInt32(duration)))
    return true
  }
}
