import FunnelModel

/// The times of installs: more on weekend evenings than on weekday nights, with noise that makes every day different.
///
/// The i-th of n installs is at a random point of the i-th of n equal parts of the total weight. The times are therefore ascending
/// without being stored.
struct InstallRhythm {
  private static let hourWeights = [3, 2, 1, 1, 1, 2, 4, 6, 7, 7, 8, 8, 9, 9, 8, 8, 9, 10, 12, 14, 15, 13, 9, 5]
  /// The weights of the days, Monday to Sunday.
  private static let weekdayWeights = [9, 9, 9, 9, 10, 13, 14]
  private static let hourMilliseconds = 3_600_000.0

  private let seed: UInt64
  private let startDay: Int
  private let installs: Int
  private let totalWeight: Double
  private var random: RandomSource
  private var nextInstall = 0
  private var hour = 0
  private var weightBeforeHour = 0.0

  init(seed: UInt64, start: CivilDate, days: Int, installs: Int) {
    self.seed = seed
    startDay = start.daysSinceEpoch
    self.installs = installs
    random = RandomSource(seed: SplitMix64.combine(seed, 0x1257_A115))
    var total = 0
    for hour in 0..<days * 24 { total += Self.weight(ofHour: hour, startDay: startDay, seed: seed) }
    totalWeight = Double(total)
  }

  /// Returns the time of the next install in milliseconds since the epoch, never before the previous one.
  mutating func next() -> Int64 {
    let target = (Double(nextInstall) + random.uniform()) / Double(installs) * totalWeight
    nextInstall += 1
    var weight = Double(Self.weight(ofHour: hour, startDay: startDay, seed: seed))
    while target >= weightBeforeHour + weight, weightBeforeHour + weight < totalWeight {
      weightBeforeHour += weight
      hour += 1
      weight = Double(Self.weight(ofHour: hour, startDay: startDay, seed: seed))
    }
    let share = min((target - weightBeforeHour) / weight, 0.999_999_9)
    return CivilDate(daysSinceEpoch: startDay).midnight.milliseconds
      + Int64((Double(hour) + share) * Self.hourMilliseconds)
  }

  private static func weight(ofHour hour: Int, startDay: Int, seed: UInt64) -> Int {
    let day = startDay + hour / 24
    let noise = SplitMix64.combine(seed, UInt64(bitPattern: Int64(day))) % 31
    return hourWeights[hour % 24] * weekdayWeights[CivilDate(daysSinceEpoch: day).isoWeekday - 1] * (85 + Int(noise))
  }
}
