/// A decimal number that is added and multiplied without rounding: an amount of money, or a number of points.
///
/// The number is a whole count of millionths, the unit in which app stores state prices. An amount of a definition is at most
/// ``Limits/amountMax``, 10¹² or 10¹⁸ millionths. As many of them as an `Int` can count, 9·10¹⁸, add up to less than the 1.7·10³⁸ that a
/// ``WideInteger`` holds, so no sum over a log overflows.
public struct ExactDecimal: Hashable, Sendable {
  /// The maximum number of decimal places.
  public static let decimalPlaces = 6
  private static let millionthsOfOne = 1_000_000

  /// The number times 1,000,000.
  public let millionths: WideInteger

  public static let zero = ExactDecimal(millionths: .zero)

  public init(millionths: WideInteger) {
    self.millionths = millionths
  }

  public init(_ whole: Int) {
    self.init(millionths: WideInteger(whole) * Self.millionthsOfOne)
  }

  /// Parses a JSON number: `25`, `-4.99`, `1.5e3`.
  ///
  /// Returns nil if the text is anything else, or if the number has more than ``decimalPlaces`` or at least 10³².
  public init?(_ text: some StringProtocol) {
    guard let digits = DecimalDigits(text) else { return nil }
    // 32 digits before the point and 6 behind it are less than 10³⁸, which a WideInteger holds.
    let places = digits.significant.count - digits.pointPlace
    guard places <= Self.decimalPlaces, digits.pointPlace <= 32 else { return nil }
    var magnitude = WideInteger.zero
    for digit in digits.significant { magnitude = magnitude * 10 + WideInteger(Int(digit)) }
    if magnitude != .zero { for _ in places..<Self.decimalPlaces { magnitude = magnitude * 10 } }
    self.init(millionths: digits.isNegative ? -magnitude : magnitude)
  }

  public static func + (lhs: ExactDecimal, rhs: ExactDecimal) -> ExactDecimal {
    ExactDecimal(millionths: lhs.millionths + rhs.millionths)
  }

  public static func += (lhs: inout ExactDecimal, rhs: ExactDecimal) { lhs = lhs + rhs }

  /// Returns the sum of as many equal amounts.
  public static func * (amount: ExactDecimal, count: Int) -> ExactDecimal {
    ExactDecimal(millionths: amount.millionths * count)
  }
}

extension ExactDecimal: Comparable {
  public static func < (lhs: ExactDecimal, rhs: ExactDecimal) -> Bool { lhs.millionths < rhs.millionths }
}

extension ExactDecimal: CustomStringConvertible {
  /// The number without an exponent and without zeros at the end, which is also its JSON text: `209.91`, `125`, `-0.5`.
  public var description: String {
    let magnitude = millionths.isNegative ? -millionths : millionths
    let (whole, rest) = magnitude.quotientAndRemainder(dividingBy: Self.millionthsOfOne)
    let sign = millionths.isNegative ? "-" : ""
    guard rest != 0 else { return "\(sign)\(whole)" }
    // One in front keeps the leading zeros of the fraction.
    var fraction = String(rest + Self.millionthsOfOne).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    return "\(sign)\(whole).\(fraction)"
  }
}
