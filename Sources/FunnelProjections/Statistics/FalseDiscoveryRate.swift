/// The correction of p-values for multiple tests that bounds the expected share of false rejections: Y. Benjamini,
/// Y. Hochberg, "Controlling the false discovery rate", Journal of the Royal Statistical Society B 57 (1995), 289–300.
package enum FalseDiscoveryRate {
  /// Returns the adjusted p-values, also called q-values, in the order of the given ones.
  ///
  /// If hypotheses are rejected whose q-value is at most α, the expected share of false ones among them is at most α.
  ///
  /// - Parameter pValues: The p-values, each from 0 to 1.
  package static func adjusted(_ pValues: [Double]) -> [Double] {
    precondition(pValues.allSatisfy { 0 <= $0 && $0 <= 1 }, "a p value is from 0 to 1")
    // The largest of m p-values stays as it is, the i-th smallest is multiplied by m / i, and a q-value is not above
    // that of a larger p-value.
    var adjusted = pValues
    var smallest = 1.0
    for (rank, index) in pValues.indices.sorted(by: { pValues[$0] < pValues[$1] }).enumerated().reversed() {
      smallest = min(smallest, pValues[index] * Double(pValues.count) / Double(rank + 1))
      adjusted[index] = smallest
    }
    return adjusted
  }
}
