/// A decimal number with six decimal places that is added and multiplied without rounding, for amounts of money and points.
///
/// The number is stored in millionths, the unit in which app stores state prices. An amount in a flow
/// definition is at most ``Limits/amountMax``, that is 10¹⁸ millionths. The sum of `Int.max` such amounts is
/// less than 10³⁷, and a ``WideInteger`` holds up to 1.7·10³⁸, so no sum over a log overflows.
package struct ExactDecimal: Hashable, Sendable {
  /// The maximum number of decimal places.
  package static let decimalPlaces = 6
  private static let millionthsOfOne = 1_000_000
  /// The maximum number of digits before the decimal point. Any such number is less than 10³⁸ millionths, which a
  /// ``WideInteger`` holds.
  private static let wholeDigitsMax = 32

  /// The number times 1,000,000.
  package let millionths: WideInteger

  /// The number 0.
  package static let zero = ExactDecimal(millionths: .zero)

  /// Creates a number from millionths.
  package init(millionths: WideInteger) {
    self.millionths = millionths
  }

  /// Creates a number from an integer.
  package init(_ whole: Int) {
    self.init(millionths: WideInteger(whole) * Self.millionthsOfOne)
  }

  /// Parses a JSON number: `25`, `-4.99`, `1.5e3`.
  ///
  /// Returns `nil` if the text is anything else, if the number has more than ``decimalPlaces``, or if its
  /// magnitude is 10³² or more.
  package init?(_ text: some StringProtocol) {
    guard let digits = DecimalDigits(text) else { return nil }
    let places = digits.significant.count - digits.pointOffset
    guard places <= Self.decimalPlaces, digits.pointOffset <= Self.wholeDigitsMax else { return nil }
    var magnitude = WideInteger.zero
    for digit in digits.significant { magnitude = magnitude * 10 + WideInteger(Int(digit)) }
    if magnitude != .zero { for _ in places..<Self.decimalPlaces { magnitude = magnitude * 10 } }
    self.init(millionths: digits.isNegative ? -magnitude : magnitude)
  }

  package static func + (lhs: ExactDecimal, rhs: ExactDecimal) -> ExactDecimal {
    ExactDecimal(millionths: lhs.millionths + rhs.millionths)
  }

  package static func += (lhs: inout ExactDecimal, rhs: ExactDecimal) { lhs = lhs + rhs }

  /// Returns an amount multiplied by a count.
  package static func * (amount: ExactDecimal, count: Int) -> ExactDecimal {
    ExactDecimal(millionths: amount.millionths * count)
  }
}

extension ExactDecimal: Comparable {
  package static func < (lhs: ExactDecimal, rhs: ExactDecimal) -> Bool { lhs.millionths < rhs.millionths }
}

extension ExactDecimal: CustomStringConvertible {
  /// The number without an exponent and without trailing zeros: `209.91`, `125`, `-0.5`. This is also its JSON text.
  package var description: String {
    let magnitude = millionths.isNegative ? -millionths : millionths
    let (whole, fractionMillionths) = magnitude.quotientAndRemainder(dividingBy: Self.millionthsOfOne)
    let sign = millionths.isNegative ? "-" : ""
    guard fractionMillionths != 0 else { return "\(sign)\(whole)" }
    // Adding one keeps the leading zeros of the fraction. Its digit is dropped again.
    var fraction = String(fractionMillionths + Self.millionthsOfOne).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    return "\(sign)\(whole).\(fraction)"
  }
}
