/// A moment, in milliseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// Milliseconds since the epoch; negative before it.
  public var milliseconds: Int64

  /// Makes a timestamp from milliseconds since the epoch.
  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  public static func < (lhs: Timestamp, rhs: Timestamp) -> Bool {
    lhs.milliseconds < rhs.milliseconds
  }

  /// Milliseconds of a day.
  public static let millisecondsPerDay: Int64 = 86_400_000

  /// The UTC day this moment falls into.
  public var day: CivilDate {
    let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: Self.millisecondsPerDay)
    return CivilDate(daysSinceEpoch: Int(remainder < 0 ? quotient - 1 : quotient))
  }
}
