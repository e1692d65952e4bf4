extension TwoProportions {
  /// The two-sided p-value of the z test with pooled variance and without continuity correction.
  ///
  /// z² is the χ² of the 2×2 table: K. Pearson, "On the criterion that a given system of deviations from the probable
  /// … can be reasonably supposed to have arisen from random sampling", Philosophical Magazine 50 (1900), 157–175,
  /// with the one degree of freedom of R. A. Fisher, "On the interpretation of χ² from contingency tables", Journal
  /// of the Royal Statistical Society 85 (1922), 87–94.
  ///
  /// The p-value is 1 if all groups or none are counted, because the variance is 0.
  package var zTestP: Double {
    guard counted > 0, notCounted > 0 else { return 1 }
    // The second factor is not 1 minus the first, which would lose digits if the first is close to 1.
    let pooledVariance = Double(counted) / Double(total) * (Double(notCounted) / Double(total))
    let variance = pooledVariance * (1 / Double(totalA) + 1 / Double(totalB))
    return NormalDistribution.twoSidedP(difference / variance.squareRoot())
  }
}
