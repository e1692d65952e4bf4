extension TwoProportions {
  /// Tables whose probabilities differ by less than this, relatively, count as equally probable, as in `fisher.test` of R. Rounding
  /// separates equal probabilities by far less.
  private static let relativeTolerance = 1e-7

  /// The two-sided p of the exact test of R. A. Fisher, "The logic of inductive inference", Journal of the Royal Statistical Society 98
  /// (1935), 39–82: the probability of all tables with the same totals that are as improbable as this one or more, after G. H. Freeman
  /// and J. H. Halton, "Note on an exact treatment of contingency, goodness of fit and other problems of significance", Biometrika 38
  /// (1951), 141–149. Smaller than 10⁻³⁰⁰ it may be 0.
  ///
  /// The number of steps is at most that of the tables, and at most about forty standard deviations to either side: some hundreds where
  /// a cell is expected to be below 5, whatever the totals are.
  public var fisherTestP: Double {
    // Of the four cells, the one whose row and column are the smaller ones determines the table, and ranges from 0.
    let (row, column) = (min(totalA, totalB), min(counted, notCounted))
    let countOfRow = totalA <= totalB ? countA : countB
    let observed = counted <= notCounted ? countOfRow : row - countOfRow
    let (first, weights) = Self.weights(row: row, column: column, total: total)
    // Outside of the tables that were weighed, probabilities are too small for a Double.
    guard weights.indices.contains(observed - first) else { return 0 }
    let limit = weights[observed - first] * (1 + Self.relativeTolerance)
    var (improbable, all) = (0.0, 0.0)
    for weight in weights {
      all += weight
      if weight <= limit { improbable += weight }
    }
    return improbable / all
  }

  /// Returns the hypergeometric probabilities of the values of a cell, `first` and those that follow, divided by that of the most
  /// probable value, up to where they are too small for a Double on either side.
  ///
  /// Each is computed from its neighbour: the differences of logarithms of factorials, the other way, have too few digits left where
  /// totals are in the millions.
  private static func weights(row: Int, column: Int, total: Int) -> (first: Int, weights: [Double]) {
    let rest = total - row - column
    /// Returns the probability of `cell` + 1 divided by that of `cell`.
    func ratio(after cell: Int) -> Double {
      Double(row - cell) * Double(column - cell) / (Double(cell + 1) * Double(rest + cell + 1))
    }
    // ⌊(row + 1)·(column + 1) / (total + 2)⌋, whose product may exceed an Int.
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
