import FunnelModel

/// A decimal number of time units, with nine digits after the decimal point. Further digits are ignored.
struct DecimalTime {
  /// A unit of time, by the number of units in a second.
  enum Unit: Int64 {
    case seconds = 1
    case milliseconds = 1000
    case microseconds = 1_000_000
  }

  /// The integral part, with the sign.
  private(set) var whole: Int64 = 0
  /// The fraction in billionths, without the sign.
  private var billionths: Int64 = 0
  private var isNegative = false

  /// The number of decimal digits that always fit into 64 bits.
  private static let digitsMax = 18
  private static let billion: Int64 = 1_000_000_000

  /// Whether the fraction is zero.
  var isWhole: Bool { billionths == 0 }

  /// Parses digits with an optional minus sign and fraction. Returns `nil` for any other text, and for more than 18
  /// integral digits.
  init?(_ text: Span<UInt8>) {
    isNegative = !text.isEmpty && text[0] == UInt8(ascii: "-")
    let first = isNegative ? 1 : 0
    var index = first
    while index < text.count, let digit = Self.digit(text[index]) {
      guard index - first < Self.digitsMax else { return nil }
      whole = whole * 10 + digit
      index += 1
    }
    guard index > first else { return nil }
    if index < text.count {
      guard text[index] == UInt8(ascii: "."), index + 1 < text.count else { return nil }
      var scale = Self.billion / 10
      for index in index + 1..<text.count {
        guard let digit = Self.digit(text[index]) else { return nil }
        billionths += digit * scale
        scale /= 10
      }
    }
    if isNegative { whole = -whole }
    assert(billionths < Self.billion, "the fraction is smaller than one")
  }

  private static func digit(_ byte: UInt8) -> Int64? {
    let digit = byte &- UInt8(ascii: "0")
    return digit < 10 ? Int64(digit) : nil
  }

  /// Returns the number as a time since the epoch, rounded down to milliseconds, or `nil` if it overflows.
  func timestamp(in unit: Unit) -> Timestamp? {
    let fraction = isNegative ? -billionths : billionths
    if unit == .microseconds {
      // The fraction of a microsecond only matters for rounding down.
      let (quotient, remainder) = whole.quotientAndRemainder(dividingBy: Unit.microseconds.rawValue / 1000)
      return Timestamp(milliseconds: remainder < 0 || remainder == 0 && fraction < 0 ? quotient - 1 : quotient)
    }
    let scale = 1000 / unit.rawValue
    let (scaled, overflow) = whole.multipliedReportingOverflow(by: scale)
    guard !overflow else { return nil }
    // Billionths of the unit become milliseconds, rounded down.
    let (quotient, remainder) = (fraction * scale).quotientAndRemainder(dividingBy: Self.billion)
    return Timestamp(milliseconds: scaled + (remainder < 0 ? quotient - 1 : quotient))
  }
}
