import FunnelModel

/// The days on which people use clarity after the onboarding.
extension SubjectPath {
  private static let activeDaysMax = 14
  /// The share of those active on a day who are active on the next.
  private static let nextDayActivity = 0.75

  /// Simulates one day after the other, from now on, until the subject no longer comes back.
  mutating func throughActiveDays(_ simulateDay: (inout SubjectPath) -> Void) {
    for _ in 0..<Self.activeDaysMax {
      simulateDay(&self)
      guard random.chance(Self.nextDayActivity) else { return }
      now = nextMorning()
    }
  }

  /// Returns a time on the next UTC day that is the same for all days of a subject: between 7:00 and 13:00.
  private func nextMorning() -> Int64 {
    let day = CivilDate(daysSinceEpoch: Timestamp(milliseconds: now).day.daysSinceEpoch + 1)
    return day.midnight.milliseconds + 25_200_000 + Int64(persona.key % 21_600_000)
  }
}

/// The flow clarity/connection: people reach others without being challenged to; each connection is one attempt.
extension SubjectPath {
  private static let connectionsADay = [42, 30, 18, 10]
  private static let connectionTypes: [ConnectionType] = [.text, .reply, .call, .voiceMemo, .facetime]
  private static let connectionWeights = [36, 26, 20, 10, 8]

  mutating func runClarityConnections() {
    enter(.clarityConnection)
    throughActiveDays { path in
      for _ in 0..<path.random.index(byWeight: Self.connectionsADay) { path.connect() }
    }
  }

  private mutating func connect() {
    now += 120_000 + random.logNormal(medianMilliseconds: 7_200_000, spread: 0.8)
    let type = Self.connectionTypes[random.index(byWeight: Self.connectionWeights)]
    let duration: Int64 =
      switch type {
      case .text, .reply: 30_000 + random.logNormal(medianMilliseconds: 45_000, spread: 0.8)
      case .voiceMemo: 5_000 + random.logNormal(medianMilliseconds: 25_000, spread: 0.7)
      case .call, .facetime: 11_000 + random.logNormal(medianMilliseconds: 190_000, spread: 1)
      }
    now += duration
    log(.known(.connectionLogged), .connection(type, durationSeconds: UInt32(duration / 1000)))
    attempt += 1
  }
}

/// The flow clarity/focus_session: a time without distracting apps; each session is one attempt.
///
/// A session can be abandoned. In strict mode it can only be overridden, by holding a button for 30 s.
extension SubjectPath {
  private static let sessionsADay = [45, 35, 20]
  private static let sessionMinutes: [Int64] = [15, 25, 45, 60, 90]
  private static let sessionWeights = [18, 40, 22, 14, 6]
  private static let overrideMilliseconds: Int64 = 30_000

  mutating func runClarityFocusSessions() {
    enter(.clarityFocusSession)
    throughActiveDays { path in
      for _ in 0..<path.random.index(byWeight: Self.sessionsADay) { path.focus() }
    }
  }

  private mutating func focus() {
    now += 300_000 + random.logNormal(medianMilliseconds: 5_400_000, spread: 0.8)
    let isStrict = random.chance(0.35)
    let detail = EventDetail.focusSession(isStrict: isStrict)
    let length = 60_000 * Self.sessionMinutes[random.index(byWeight: Self.sessionWeights)]
    let interruption = random.integer(in: 20_000...length - 60_000)
    log(.known(.focusSessionStarted), detail)
    let draw = random.uniform()
    if draw < (isStrict ? 0.78 : 0.62) {
      now += length
      log(.known(.focusSessionCompleted), detail)
    } else if draw < 0.96 {
      now += interruption + (isStrict ? Self.overrideMilliseconds : 0)
      log(.known(isStrict ? .focusSessionOverridden : .focusSessionAbandoned), detail)
    }
    // The sessions of the others have no known end, because the battery was empty.
    attempt += 1
  }
}
