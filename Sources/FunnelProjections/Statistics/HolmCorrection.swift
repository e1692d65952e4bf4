/// The Holm correction of p-values for multiple tests: S. Holm, "A simple sequentially rejective multiple test procedure",
/// Scandinavian Journal of Statistics 6 (1979), 65–70.
package enum HolmCorrection {
  /// Returns the adjusted p-values, in the order of the given ones.
  ///
  /// If hypotheses are rejected whose adjusted p-value is at most α, the probability of any false rejection is at most α.
  ///
  /// - Parameter pValues: The p-values, each from 0 to 1.
  package static func adjusted(_ pValues: [Double]) -> [Double] {
    precondition(pValues.allSatisfy { 0 <= $0 && $0 <= 1 }, "a p value is from 0 to 1")
    // The smallest of m p-values is multiplied by m, the next by m − 1, and so on. An adjusted p-value is not above
    // 1, and not below that of a smaller p-value.
    var adjusted = pValues
    var largest = 0.0
    for (rank, index) in pValues.indices.sorted(by: { pValues[$0] < pValues[$1] }).enumerated() {
      largest = max(largest, min(1, pValues[index] * Double(pValues.count - rank)))
      adjusted[index] = largest
    }
    return adjusted
  }
}
