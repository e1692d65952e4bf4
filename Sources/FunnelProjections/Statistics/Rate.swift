/// A proportion with its 95 % confidence interval.
public struct Rate: Hashable, Sendable {
  /// The proportion, from 0 to 1.
  public var value: Double
  /// The lower end of the interval.
  public var low: Double
  /// The upper end of the interval.
  public var high: Double
  /// The total, of which the rate is a part.
  public var denominator: Int

  public init(value: Double, low: Double, high: Double, denominator: Int) {
    self.value = value
    self.low = low
    self.high = high
    self.denominator = denominator
  }
}
