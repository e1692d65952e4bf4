/// A proportion with its 95 % confidence interval.
package struct Rate: Hashable, Sendable {
  /// The proportion, from 0 to 1.
  package let value: Double
  /// The lower end of the interval.
  package let low: Double
  /// The upper end of the interval.
  package let high: Double
  /// The total, of which the rate is a part.
  package let denominator: Int

  package init(value: Double, low: Double, high: Double, denominator: Int) {
    self.value = value
    self.low = low
    self.high = high
    self.denominator = denominator
  }
}
