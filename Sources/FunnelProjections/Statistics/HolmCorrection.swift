/// The step-down correction for several tests at once: S. Holm, "A simple sequentially rejective multiple test procedure",
/// Scandinavian Journal of Statistics 6 (1979), 65–70.
public enum HolmCorrection {
  /// Returns the adjusted p values, in the order of the given ones, which must be from 0 to 1.
  ///
  /// The smallest of m is multiplied by m, the next by m − 1, and so on; none becomes smaller than that of a smaller p, or larger than 1.
  /// To reject where the adjusted p is at most α keeps the probability of any false rejection at α.
  public static func adjusted(_ pValues: [Double]) -> [Double] {
    precondition(pValues.allSatisfy { 0 <= $0 && $0 <= 1 }, "a p value is from 0 to 1")
    var adjusted = pValues
    var largest = 0.0
    for (rank, index) in pValues.indices.sorted(by: { pValues[$0] < pValues[$1] }).enumerated() {
      largest = max(largest, min(1, pValues[index] * Double(pValues.count - rank)))
      adjusted[index] = largest
    }
    return adjusted
  }
}
