/// Random numbers of several distributions.
///
/// Only the four basic operations of IEEE 754 are used. They give the same bits everywhere, which the functions of a system's
/// mathematics library do not.
extension RandomSource {
  /// Returns a uniform number in [0, 1), a multiple of 2⁻⁵³.
  @inline(__always)
  mutating func uniform() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  /// Returns true with the given probability.
  @inline(__always)
  mutating func chance(_ probability: Double) -> Bool {
    uniform() < probability
  }

  /// Returns an integer in 0 ..< `bound`, by multiplication and shift (Lemire, "Fast Random Integer Generation in an Interval", 2019,
  /// without the rejection step: the bias is below 2⁻³² times the bound).
  @inline(__always)
  mutating func below(_ bound: Int) -> Int {
    Int(((next() >> 32) &* UInt64(bound)) >> 32)
  }

  /// Returns an integer in a closed range.
  @inline(__always)
  mutating func integer(in range: ClosedRange<Int64>) -> Int64 {
    range.lowerBound + Int64(uniform() * Double(range.upperBound - range.lowerBound + 1))
  }

  /// Returns an approximately standard normal number: the sum of four uniform numbers (Irwin–Hall), shifted and scaled to mean 0 and
  /// variance 1. It is within ±3.47.
  @inline(__always)
  mutating func bell() -> Double {
    let bits = next()
    let sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48)
    return (Double(sum) / 65_535 - 2) * 1.732_050_807_568_877_2
  }

  /// Returns a number of milliseconds from a log-normal distribution with a median.
  mutating func logNormal(medianMilliseconds: Double, spread: Double) -> Int64 {
    Int64(medianMilliseconds * deterministicExp(spread * bell()))
  }

  /// Returns an index into a table of weights, with a probability proportional to its weight.
  mutating func index(byWeight weights: [Int]) -> Int {
    var total = 0
    for weight in weights { total += weight }
    var rest = below(total)
    for index in weights.indices {
      rest -= weights[index]
      if rest < 0 { return index }
    }
    return weights.count - 1
  }
}

/// Returns eˣ for |x| < 20, by the Taylor series of x/256 and eight squarings. The relative error is below 10⁻¹².
func deterministicExp(_ x: Double) -> Double {
  let y = x / 256
  var result = 1 + y * (1 + y / 2 * (1 + y / 3 * (1 + y / 4 * (1 + y / 5))))
  for _ in 0..<8 { result *= result }
  return result
}
