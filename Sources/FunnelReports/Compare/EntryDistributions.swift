import FunnelProjections

/// The number of entries of two sides by day, or by another ordinal such as the day of the week.
struct EntryDistributions<Day: Hashable> {
  let a: [Day: Int]
  let b: [Day: Int]

  /// The maximum total variation distance between the days of two sides: half the sum of the absolute
  /// differences of their shares.
  private var distanceMax: Double { 0.1 }
  /// The significance level of the test of the days. It is small because the test runs in every comparison.
  private var alpha: Double { 0.001 }

  /// Returns whether the sides have significantly different distributions over the days.
  ///
  /// The test is the chi-squared test of homogeneity, summed over the strata.
  ///
  /// - Parameter stratum: Returns the stratum of a day. Only days of one stratum are compared with each other; the
  ///   strata are weighted as in the Mantel–Haenszel estimate.
  func differ(by stratum: (Day) -> Day? = { _ in nil }) -> Bool {
    var distance = 0.0
    var weights = 0.0
    var chiSquared = 0.0
    var degreesOfFreedom = 0
    for days in Dictionary(grouping: Set(a.keys).union(b.keys), by: stratum).values {
      let counts = days.map { (a: a[$0] ?? 0, b: b[$0] ?? 0) }
      let allA = Double(counts.reduce(0) { $0 + $1.a })
      let allB = Double(counts.reduce(0) { $0 + $1.b })
      guard allA > 0, allB > 0 else { continue }
      let weight = allA * allB / (allA + allB)
      weights += weight
      distance += weight * counts.reduce(0) { $0 + abs(Double($1.a) / allA - Double($1.b) / allB) } / 2
      guard let test = HomogeneityTest(counts.map { (count: $0.a, of: $0.a + $0.b) }) else { continue }
      assert(test.chiSquared >= 0 && test.degreesOfFreedom > 0, "a test compares at least two days")
      chiSquared += test.chiSquared
      degreesOfFreedom += test.degreesOfFreedom
    }
    guard degreesOfFreedom > 0, distance > distanceMax * weights else { return false }
    return ChiSquaredDistribution.upperTail(chiSquared, degreesOfFreedom: degreesOfFreedom) < alpha
  }
}
