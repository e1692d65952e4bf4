/// How long people take. Log-normal about a median: most are quick, some take minutes.
extension SubjectRun {
  /// Share of steps that people leave open until the next day.
  static let nextDayShare = 0.03

  /// Reads, types or thinks; now and then puts the phone away and returns the next day.
  mutating func dwell(medianSeconds: Double) {
    now += 300 + random.logNormal(medianMilliseconds: medianSeconds * 1000, spread: 0.75)
    if random.chance(Self.nextDayShare) { now += random.integer(in: 14 * 3_600_000...32 * 3_600_000) }
  }

  /// Reacts at once, as to a dialog in the way.
  mutating func react(medianSeconds: Double) {
    now += 250 + random.logNormal(medianMilliseconds: medianSeconds * 1000, spread: 0.55)
  }

  /// A screen slides away.
  mutating func transition() {
    now += random.integer(in: 60...420)
  }

  /// Goes away for hours or days.
  mutating func returnLater(medianHours: Double) {
    now += 1_800_000 + random.logNormal(medianMilliseconds: medianHours * 3_600_000, spread: 0.9)
  }
}
