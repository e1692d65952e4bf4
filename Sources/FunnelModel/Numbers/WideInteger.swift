// The standard library's `Int128` requires iOS 18 or macOS 15, and apps on iOS 16 link this module.

/// A signed 128-bit integer in two's complement, with the operations that exact sums need. An overflow traps, as with `Int`.
package struct WideInteger: Hashable, Sendable {
  private let high: Int64
  private let low: UInt64

  /// The number 0.
  package static let zero = WideInteger(0)

  /// Creates a number from an `Int`.
  package init(_ value: Int) {
    high = value < 0 ? -1 : 0
    low = UInt64(bitPattern: Int64(value))
  }

  private init(high: Int64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates a number from its sign and its magnitude.
  ///
  /// - Precondition: The magnitude is less than 2¹²⁷.
  private init(isNegative: Bool, magnitude: (high: UInt64, low: UInt64)) {
    precondition(magnitude.high >> 63 == 0, "the number fits in 128 bits")
    let positive = WideInteger(high: Int64(magnitude.high), low: magnitude.low)
    self = isNegative ? -positive : positive
  }

  /// Whether the number is below zero.
  package var isNegative: Bool { high < 0 }

  /// The absolute value as an unsigned 128-bit integer.
  private var magnitude: (high: UInt64, low: UInt64) {
    guard isNegative else { return (UInt64(high), low) }
    // Negation in two's complement is the complement plus one.
    let (complement, carries) = (~low).addingReportingOverflow(1)
    return (UInt64(bitPattern: ~high) &+ (carries ? 1 : 0), complement)
  }

  package static func + (lhs: WideInteger, rhs: WideInteger) -> WideInteger {
    let (low, carries) = lhs.low.addingReportingOverflow(rhs.low)
    let (sum, overflows) = lhs.high.addingReportingOverflow(rhs.high)
    let (high, overflowsByCarry) = sum.addingReportingOverflow(carries ? 1 : 0)
    // A carry can undo the overflow of a sum that is too small by one. The two overflows then cancel out.
    precondition(overflows == overflowsByCarry, "the sum fits in 128 bits")
    return WideInteger(high: high, low: low)
  }

  package static func += (lhs: inout WideInteger, rhs: WideInteger) { lhs = lhs + rhs }

  package static prefix func - (value: WideInteger) -> WideInteger {
    let (low, carries) = (~value.low).addingReportingOverflow(1)
    return WideInteger(high: ~value.high &+ (carries ? 1 : 0), low: low)
  }

  package static func * (lhs: WideInteger, rhs: Int) -> WideInteger {
    let factor = UInt64(rhs.magnitude)
    let number = lhs.magnitude
    let low = number.low.multipliedFullWidth(by: factor)
    let high = number.high.multipliedReportingOverflow(by: factor)
    let (sum, overflows) = high.partialValue.addingReportingOverflow(low.high)
    precondition(!high.overflow && !overflows, "the product fits in 128 bits")
    return WideInteger(isNegative: lhs.isNegative != (rhs < 0), magnitude: (sum, low.low))
  }

  /// Returns the quotient, rounded toward zero, and the remainder, which has the sign of the dividend.
  ///
  /// - Precondition: The divisor is positive.
  package func quotientAndRemainder(dividingBy divisor: Int) -> (quotient: WideInteger, remainder: Int) {
    precondition(divisor > 0, "the divisor is positive")
    let number = magnitude
    let divisor = UInt64(divisor)
    let high = number.high.quotientAndRemainder(dividingBy: divisor)
    let low = divisor.dividingFullWidth((high.remainder, number.low))
    let quotient = WideInteger(isNegative: isNegative, magnitude: (high.quotient, low.quotient))
    return (quotient, isNegative ? -Int(low.remainder) : Int(low.remainder))
  }
}

extension WideInteger: Comparable {
  package static func < (lhs: WideInteger, rhs: WideInteger) -> Bool { (lhs.high, lhs.low) < (rhs.high, rhs.low) }
}

extension WideInteger: CustomStringConvertible {
  /// The number in decimal.
  package var description: String {
    // The number is divided by the largest power of ten that an Int holds.
    let digitsPerDivision = 18
    let (quotient, remainder) = quotientAndRemainder(dividingBy: 1_000_000_000_000_000_000)
    guard quotient != .zero else { return String(remainder) }
    let digits = String(remainder.magnitude)
    return quotient.description + String(repeating: "0", count: digitsPerDivision - digits.count) + digits
  }
}

extension Int {
  /// Creates an integer of the same value, or returns `nil` if the value does not fit.
  package init?(exactly value: WideInteger) {
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
  /// Creates the nearest double if the value fits in 64 bits, otherwise one of the two nearest.
  package init(_ value: WideInteger) {
    if let small = Int(exactly: value) {
      self = Double(small)
    } else {
      // Multiplying by a power of two is exact. Only the conversion of the quotient and the addition round.
      let (quotient, remainder) = value.quotientAndRemainder(dividingBy: 1 << 62)
      self = Double(quotient) * 0x1p62 + Double(remainder)
    }
  }
}
