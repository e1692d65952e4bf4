/// A comparison of two proportions that is adjusted for strata, such as operating systems.
///
/// It combines the differences within the strata, so it is not distorted if the sides have different shares of each stratum.
package struct StratifiedComparison: Hashable, Sendable {
  /// The Mantel–Haenszel estimate of the difference B − A, with the weights na·nb/n: S. Greenland and J. M. Robins,
  /// "Estimation of a common effect parameter from sparse follow-up data", Biometrics 41 (1985), 55–68.
  package let difference: Double
  /// The lower end of the 95 % confidence interval, with the variance of T. Sato, "On the variance estimator for the
  /// Mantel–Haenszel risk difference", Biometrics 45 (1989), 1323–1324.
  package let low: Double
  /// The upper end of that interval.
  package let high: Double
  /// The two-sided p-value of the Cochran–Mantel–Haenszel test without continuity correction: N. Mantel and W.
  /// Haenszel, "Statistical aspects of the analysis of data from retrospective studies of disease", Journal of the
  /// National Cancer Institute 22 (1959), 719–748.
  package let p: Double
  /// The number of strata.
  package let strataCount: Int

  /// Compares the proportions of strata, or returns `nil` if there are none.
  ///
  /// - Parameter strata: The proportions of each stratum that has groups of both sides. A stratum of one side has no
  ///   information.
  package init?(_ strata: [TwoProportions]) {
    guard !strata.isEmpty else { return nil }
    strataCount = strata.count
    var sums = Sums()
    for stratum in strata { sums.add(stratum) }
    difference = sums.difference / sums.weight
    let variance = max(0, difference * sums.slope + sums.spread) / (sums.weight * sums.weight)
    let half = NormalDistribution.z975 * variance.squareRoot()
    low = difference - half
    high = difference + half
    p = sums.variance > 0 ? NormalDistribution.twoSidedP(sums.excess / sums.variance.squareRoot()) : 1
  }

  /// The sums over the strata.
  ///
  /// In the formulas, na, nb and n are the totals of A, B and both in a stratum, and xa, xb and m are the counts.
  private struct Sums {
    /// Σ na·nb/n
    var weight = 0.0
    /// Σ na·nb/n · (pb − pa)
    var difference = 0.0
    /// Sato's ΣP, P = (nb²·xa − na²·xb + na·nb·(na − nb)/2) / n²
    var slope = 0.0
    /// Sato's ΣQ, Q = (xb·(na − xa) + xa·(nb − xb)) / 2n
    var spread = 0.0
    /// Σ xb − nb·m/n
    var excess = 0.0
    /// Σ na·nb·m·(n − m) / n²(n − 1)
    var variance = 0.0

    /// Adds the terms of a stratum.
    mutating func add(_ stratum: TwoProportions) {
      let na = Double(stratum.totalA)
      let nb = Double(stratum.totalB)
      let n = Double(stratum.total)
      let xa = Double(stratum.countA)
      let xb = Double(stratum.countB)
      let m = Double(stratum.counted)
      weight += na * nb / n
      difference += (xb * na - xa * nb) / n
      slope += nb / n * (nb / n) * xa - na / n * (na / n) * xb + na / n * (nb / n) * (na - nb) / 2
      spread += (xb * (na - xa) + xa * (nb - xb)) / (2 * n)
      excess += xb - nb * m / n
      variance += na / n * (nb / n) * m * (n - m) / (n - 1)
    }
  }
}
