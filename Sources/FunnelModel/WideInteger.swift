/// A signed integer of 128 bits in two's complement, with the operations that exact sums need.
///
/// The standard library's `Int128` does the same from iOS 18 and macOS 15 on only, and apps on iOS 16 link this module. As there, a result
/// that does not fit is a programming error and traps.
public struct WideInteger: Hashable, Sendable {
  private let high: Int64
  private let low: UInt64

  public static let zero = WideInteger(0)

  public init(_ value: Int) {
    high = value < 0 ? -1 : 0
    low = UInt64(bitPattern: Int64(value))
  }

  private init(high: Int64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates a number from its sign and its magnitude, which must be less than 2¹²⁷.
  private init(isNegative: Bool, magnitude: (high: UInt64, low: UInt64)) {
    precondition(magnitude.high >> 63 == 0, "the number fits in 128 bits")
    let positive = WideInteger(high: Int64(magnitude.high), low: magnitude.low)
    self = isNegative ? -positive : positive
  }

  public var isNegative: Bool { high < 0 }

  private var magnitude: (high: UInt64, low: UInt64) {
    guard isNegative else { return (UInt64(high), low) }
    // The two's complement of a number is its complement plus one.
    let (complement, carries) = (~low).addingReportingOverflow(1)
    return (UInt64(bitPattern: ~high) &+ (carries ? 1 : 0), complement)
  }

  public static func + (lhs: WideInteger, rhs: WideInteger) -> WideInteger {
    let (low, carries) = lhs.low.addingReportingOverflow(rhs.low)
    let (sum, overflows) = lhs.high.addingReportingOverflow(rhs.high)
    let (high, overflowsByCarry) = sum.addingReportingOverflow(carries ? 1 : 0)
    // A carry can bring back a sum that was too small by one.
    precondition(overflows == overflowsByCarry, "the sum fits in 128 bits")
    return WideInteger(high: high, low: low)
  }

  public static func += (lhs: inout WideInteger, rhs: WideInteger) { lhs = lhs + rhs }

  public static prefix func - (value: WideInteger) -> WideInteger {
    let (low, carries) = (~value.low).addingReportingOverflow(1)
    return WideInteger(high: ~value.high &+ (carries ? 1 : 0), low: low)
  }

  public static func * (lhs: WideInteger, rhs: Int) -> WideInteger {
    let (factor, number) = (UInt64(rhs.magnitude), lhs.magnitude)
    let low = number.low.multipliedFullWidth(by: factor)
    let high = number.high.multipliedReportingOverflow(by: factor)
    let (sum, overflows) = high.partialValue.addingReportingOverflow(low.high)
    precondition(!high.overflow && !overflows, "the product fits in 128 bits")
    return WideInteger(isNegative: lhs.isNegative != (rhs < 0), magnitude: (sum, low.low))
  }

  /// Returns the quotient, rounded toward zero, and the remainder, which has the sign of the number.
  public func quotientAndRemainder(dividingBy divisor: Int) -> (quotient: WideInteger, remainder: Int) {
    precondition(divisor > 0, "the divisor is positive")
    let (number, divisor) = (magnitude, UInt64(divisor))
    let high = number.high.quotientAndRemainder(dividingBy: divisor)
    let low = divisor.dividingFullWidth((high.remainder, number.low))
    let quotient = WideInteger(isNegative: isNegative, magnitude: (high.quotient, low.quotient))
    return (quotient, isNegative ? -Int(low.remainder) : Int(low.remainder))
  }
}

extension WideInteger: Comparable {
  public static func < (lhs: WideInteger, rhs: WideInteger) -> Bool { (lhs.high, lhs.low) < (rhs.high, rhs.low) }
}

extension WideInteger: CustomStringConvertible {
  public var description: String {
    // 10¹⁸ is the largest power of ten that an Int holds.
    let (quotient, remainder) = quotientAndRemainder(dividingBy: 1_000_000_000_000_000_000)
    guard quotient != .zero else { return String(remainder) }
    let digits = String(remainder.magnitude)
    return quotient.description + String(repeating: "0", count: 18 - digits.count) + digits
  }
}

extension Int {
  /// Creates an integer of the same value, or returns nil if the value does not fit.
  public init?(exactly value: WideInteger) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: .max)
    switch quotient {
    case .zero: self = remainder
    case WideInteger(1) where remainder == 0: self = .max
    case WideInteger(-1) where remainder == 0: self = -.max
    case WideInteger(-1) where remainder == -1: self = .min
    default: return nil
    }
  }
}

extension Double {
  /// Creates the nearest number if the value fits in 64 bits, else one of the two nearest.
  public init(_ value: WideInteger) {
    if let small = Int(exactly: value) {
      self = Double(small)
    } else {
      // 2⁶² is a power of two, so the product is rounded only where the quotient has more than 53 bits.
      let (quotient, remainder) = value.quotientAndRemainder(dividingBy: 1 << 62)
      self = Double(quotient) * 0x1p62 + Double(remainder)
    }
  }
}
