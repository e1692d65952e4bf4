/// A decimal number that is added and multiplied without rounding: an amount of money, or a number of points.
///
/// The number is a whole count of millionths, the unit in which app stores state prices. An amount of a definition is at most
/// ``Limits/amountMax``, 10¹² or 10¹⁸ millionths. As many of them as an `Int` can count, 9·10¹⁸, add up to less than the 1.7·10³⁸ that an
/// `Int128` holds, so no sum over a log overflows.
public struct ExactDecimal: Hashable, Sendable {
  /// The maximum number of decimal places.
  public static let decimalPlaces = 6
  private static let millionthsOfOne: Int128 = 1_000_000

  /// The number times 1,000,000.
  public let millionths: Int128

  public static let zero = ExactDecimal(millionths: 0)

  public init(millionths: Int128) {
    self.millionths = millionths
  }

  public init(_ whole: Int) {
    self.init(millionths: Int128(whole) * Self.millionthsOfOne)
  }

  /// Parses a JSON number: `25`, `-4.99`, `1.5e3`.
  ///
  /// Returns nil if the text is anything else, or if the number has more than ``decimalPlaces`` or at least 10³².
  public init?(_ text: some StringProtocol) {
    guard let digits = DecimalDigits(text) else { return nil }
    // 32 digits before the point and 6 behind it are less than 10³⁸, which an Int128 holds.
    let places = digits.significant.count - digits.pointPlace
    guard places <= Self.decimalPlaces, digits.pointPlace <= 32 else { return nil }
    var magnitude: Int128 = 0
    for digit in digits.significant { magnitude = magnitude * 10 + Int128(digit) }
    if magnitude != 0 { for _ in places..<Self.decimalPlaces { magnitude *= 10 } }
    self.init(millionths: digits.isNegative ? -magnitude : magnitude)
  }

  public static func + (lhs: ExactDecimal, rhs: ExactDecimal) -> ExactDecimal {
    ExactDecimal(millionths: lhs.millionths + rhs.millionths)
  }

  public static func += (lhs: inout ExactDecimal, rhs: ExactDecimal) { lhs = lhs + rhs }

  /// Returns the sum of as many equal amounts.
  public static func * (amount: ExactDecimal, count: Int) -> ExactDecimal {
    ExactDecimal(millionths: amount.millionths * Int128(count))
  }
}

extension ExactDecimal: Comparable {
  public static func < (lhs: ExactDecimal, rhs: ExactDecimal) -> Bool { lhs.millionths < rhs.millionths }
}

extension ExactDecimal: CustomStringConvertible {
  /// The number without an exponent and without zeros at the end, which is also its JSON text: `209.91`, `125`, `-0.5`.
  public var description: String {
    let (whole, rest) = millionths.magnitude.quotientAndRemainder(dividingBy: Self.millionthsOfOne.magnitude)
    let sign = millionths < 0 ? "-" : ""
    guard rest != 0 else { return "\(sign)\(whole)" }
    // One in front keeps the leading zeros of the fraction.
    var fraction = String(rest + Self.millionthsOfOne.magnitude).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    return "\(sign)\(whole).\(fraction)"
  }
}
