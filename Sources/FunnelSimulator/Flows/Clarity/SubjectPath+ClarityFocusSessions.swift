import FunnelModel

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
    throughActiveDays { run in
      for _ in 0..<run.random.index(byWeight: Self.sessionsADay) { run.focus() }
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
