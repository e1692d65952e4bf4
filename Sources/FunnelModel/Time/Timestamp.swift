/// A moment with a resolution of one millisecond.
public struct Timestamp: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// The number of milliseconds since 1970-01-01T00:00:00Z (the epoch), negative before it.
  public var milliseconds: Int64

  /// Creates a timestamp from milliseconds since the epoch.
  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  public static func < (lhs: Timestamp, rhs: Timestamp) -> Bool {
    lhs.milliseconds < rhs.milliseconds
  }

  /// The number of milliseconds in an hour.
  public static let millisecondsPerHour: Int64 = 3_600_000

  /// The number of milliseconds in a day.
  public static let millisecondsPerDay: Int64 = 86_400_000

  /// The calendar day of this moment in UTC.
  public var day: CivilDate {
    let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: Self.millisecondsPerDay)
    return CivilDate(daysSinceEpoch: Int(remainder < 0 ? quotient - 1 : quotient))
  }
}
