import FunnelModel

extension TwoProportions {
  /// The 95 % hybrid score interval of the difference B − A, from the Wilson intervals of both proportions: R. G.
  /// Newcombe, "Interval estimation for the difference between independent proportions: comparison of eleven
  /// methods", Statistics in Medicine 17 (1998), 873–890, method 10.
  package var newcombeInterval: (low: Double, high: Double) {
    let aBelow = rateA.value - rateA.low
    let aAbove = rateA.high - rateA.value
    let bBelow = rateB.value - rateB.low
    let bAbove = rateB.high - rateB.value
    return (
      low: difference - (aAbove * aAbove + bBelow * bBelow).squareRoot(),
      high: difference + (aBelow * aBelow + bAbove * bAbove).squareRoot()
    )
  }
}
