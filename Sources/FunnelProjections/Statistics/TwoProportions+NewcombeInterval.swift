extension TwoProportions {
  /// The 95 % hybrid score interval of the difference B − A, built from the Wilson intervals of both shares: R. G. Newcombe, "Interval
  /// estimation for the difference between independent proportions: comparison of eleven methods", Statistics in Medicine 17 (1998),
  /// 873–890, method 10.
  public var newcombeInterval: (low: Double, high: Double) {
    let (aBelow, aAbove) = (rateA.value - rateA.low, rateA.high - rateA.value)
    let (bBelow, bAbove) = (rateB.value - rateB.low, rateB.high - rateB.value)
    return (
      low: difference - (aAbove * aAbove + bBelow * bBelow).squareRoot(),
      high: difference + (aBelow * aBelow + bAbove * bAbove).squareRoot()
    )
  }
}
