extension TwoProportions {
  /// The two-sided p of the z test with pooled variance and without continuity correction.
  ///
  /// z² is the χ² of the 2×2 table: K. Pearson, "On the criterion that a given system of deviations from the probable … can be
  /// reasonably supposed to have arisen from random sampling", Philosophical Magazine 50 (1900), 157–175, with the one degree of freedom of
  /// R. A. Fisher, "On the interpretation of χ² from contingency tables", Journal of the Royal Statistical Society 85 (1922), 87–94.
  ///
  /// 1 if all or none were counted, in which case there is no variance.
  public var zTestP: Double {
    guard counted > 0, notCounted > 0 else { return 1 }
    // The share that was not counted has its own division, because 1 − p loses its digits where p is close to 1.
    let pooledVariance = Double(counted) / Double(total) * (Double(notCounted) / Double(total))
    let variance = pooledVariance * (1 / Double(totalA) + 1 / Double(totalB))
    return NormalDistribution.twoSidedP(difference / variance.squareRoot())
  }
}
