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
