extension TwoProportions {
  /// The relative difference below which two probabilities are treated as equal, as in `fisher.test` of R.
  // Rounding separates equal probabilities by far less.
  private static let relativeTolerance = 1e-7

  /// The two-sided p-value of Fisher's exact test: R. A. Fisher, "The logic of inductive inference", Journal of the
  /// Royal Statistical Society 98 (1935), 39–82.
  ///
  /// It is the sum of the probabilities of all tables with the same totals that are at most as probable as this one:
  /// G. H. Freeman and J. H. Halton, "Note on an exact treatment of contingency, goodness of fit and other problems
  /// of significance", Biometrika 38 (1951), 141–149. A p-value below 10⁻³⁰⁰ may be returned as 0.
  ///
  /// The number of tables to sum is at most about forty standard deviations to either side: some hundreds if the
  /// expected count of a cell is below 5, regardless of the totals.
  package var fisherTestP: Double {
    // The cell of the smaller row and the smaller column determines the table. Its smallest value is 0.
    let row = min(totalA, totalB)
    let column = min(counted, notCounted)
    let countOfRow = totalA <= totalB ? countA : countB
    let observed = counted <= notCounted ? countOfRow : row - countOfRow
    let (first, weights) = Self.weights(row: row, column: column, total: total)
    // The probabilities of all other tables are too small for a Double.
    guard weights.indices.contains(observed - first) else { return 0 }
    let limit = weights[observed - first] * (1 + Self.relativeTolerance)
    var improbable = 0.0
    var all = 0.0
    for weight in weights {
      all += weight
      if weight <= limit { improbable += weight }
    }
    return improbable / all
  }

  /// Returns the hypergeometric probabilities of the values of a cell, divided by that of the most probable value.
  ///
  /// The result includes the values from `first` on, without those at both ends whose probability is too small for a Double.
  // Each probability is computed from its neighbor. Differences of logarithms of factorials lose too many digits for
  // totals in the millions.
  private static func weights(row: Int, column: Int, total: Int) -> (first: Int, weights: [Double]) {
    let opposite = total - row - column
    /// Returns the probability of `cell` + 1 divided by that of `cell`.
    func ratio(after cell: Int) -> Double {
      Double(row - cell) * Double(column - cell) / (Double(cell + 1) * Double(opposite + cell + 1))
    }
    // The mode is ⌊(row + 1)·(column + 1) / (total + 2)⌋. The product may exceed an Int.
    let mode = (total + 2).dividingFullWidth((row + 1).multipliedFullWidth(by: column + 1)).quotient
    var below: [Double] = []
    var weight = 1.0
    for cell in stride(from: mode - 1, through: 0, by: -1) {
      weight /= ratio(after: cell)
      if weight == 0 { break }
      below.append(weight)
    }
    var weights = below.reversed() + [1]
    weight = 1
    for cell in mode..<min(row, column) {
      weight *= ratio(after: cell)
      if weight == 0 { break }
      weights.append(weight)
    }
    return (first: mode - below.count, weights: weights)
  }
}
