/// A share with its Wilson 95 % interval.
public struct Rate: Hashable, Sendable {
  /// The share, from 0 to 1.
  public var value: Double
  /// The lower end of the interval.
  public var low: Double
  /// The upper end of the interval.
  public var high: Double
  /// The total that the share refers to.
  public var denominator: Int

  public init(value: Double, low: Double, high: Double, denominator: Int) {
    self.value = value
    self.low = low
    self.high = high
    self.denominator = denominator
  }
}
