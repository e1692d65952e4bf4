/// The time people take, log-normal about a median: most are quick, some take minutes.
extension SubjectPath {
  /// The share of steps that people leave open until the next day.
  static let nextDayShare = 0.03

  /// Spends time reading, typing or thinking, sometimes with a break until the next day.
  mutating func dwell(medianSeconds: Double) {
    now += 300 + random.logNormal(medianMilliseconds: medianSeconds * 1000, spread: 0.75)
    if random.chance(Self.nextDayShare) { now += random.integer(in: 14 * 3_600_000...32 * 3_600_000) }
  }

  /// Reacts quickly, as to a dialog that blocks the screen.
  mutating func react(medianSeconds: Double) {
    now += 250 + random.logNormal(medianMilliseconds: medianSeconds * 1000, spread: 0.55)
  }

  /// Waits for the animation between two screens.
  mutating func transition() {
    now += random.integer(in: 60...420)
  }

  /// Leaves for hours or days.
  mutating func returnLater(medianHours: Double) {
    now += 1_800_000 + random.logNormal(medianMilliseconds: medianHours * 3_600_000, spread: 0.9)
  }
}
