/// A proportion with its 95 % confidence interval.
package struct Rate: Hashable, Sendable {
  /// The proportion, from 0 to 1.
  package var value: Double
  /// The lower end of the interval.
  package var low: Double
  /// The upper end of the interval.
  package var high: Double
  /// The total, of which the rate is a part.
  package var denominator: Int

  package init(value: Double, low: Double, high: Double, denominator: Int) {
    self.value = value
    self.low = low
    self.high = high
    self.denominator = denominator
  }
}
