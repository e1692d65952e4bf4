/// A JSON number as its exact decimal digits (RFC 8259, section 6), before rounding to a numeric type.
struct DecimalDigits: Hashable, Sendable {
  /// Whether the number is below zero.
  let isNegative: Bool
  /// The values of the digits without leading and trailing zeros. Zero has none.
  let significant: [UInt8]
  /// The offset of the decimal point, in digits after the start of ``significant``: 2 for 12.5, 4 for 1200,
  /// -1 for 0.05 and 0 for zero.
  let pointOffset: Int

  /// The limit of an exponent's magnitude. A larger exponent makes no difference, because no text in memory has so many digits.
  fileprivate static let exponentMax = 1_000_000_000

  /// Parses a number, or returns `nil` if the text is anything else.
  init?(_ text: some StringProtocol) {
    var input = Array(text.utf8)[...]
    let hasMinus = input.first == UInt8(ascii: "-")
    if hasMinus { input.removeFirst() }
    let whole = input.takeDigits()
    guard !whole.isEmpty, whole.count == 1 || whole.first != 0 else { return nil }
    var fraction: [UInt8] = []
    if input.first == UInt8(ascii: ".") {
      input.removeFirst()
      fraction = input.takeDigits()
      if fraction.isEmpty { return nil }
    }
    var exponent = 0
    if let letter = input.first, letter | 0x20 == UInt8(ascii: "e") {
      input.removeFirst()
      guard let value = input.takeExponent() else { return nil }
      exponent = value
    }
    guard input.isEmpty else { return nil }
    let digits = whole + fraction
    let leadingZeros = digits.prefix { $0 == 0 }.count
    let trailingZeros = digits.dropFirst(leadingZeros).reversed().prefix { $0 == 0 }.count
    significant = Array(digits.dropFirst(leadingZeros).dropLast(trailingZeros))
    isNegative = hasMinus && !significant.isEmpty
    pointOffset = significant.isEmpty ? 0 : whole.count + exponent - leadingZeros
  }
}

extension DecimalDigits {
  /// No `Int64` has more digits, and every number of so many digits fits in a `UInt64`.
  private static let int64DigitsMax = 19

  /// Whether the number has no fraction.
  var isWhole: Bool { pointOffset >= significant.count }

  /// The absolute value without its fraction, or `nil` if it has more than 19 digits, so that it is outside of `Int64`.
  var truncatedMagnitude: UInt64? {
    guard pointOffset <= Self.int64DigitsMax else { return nil }
    return (0..<max(pointOffset, 0)).reduce(0) { magnitude, index in
      magnitude * 10 + UInt64(index < significant.count ? significant[index] : 0)
    }
  }

  /// The number as a 64-bit integer, or `nil` if it has a fraction or does not fit.
  var integer: Int64? {
    isWhole ? truncatedMagnitude.flatMap { Int64(magnitude: $0, isNegative: isNegative) } : nil
  }
}

extension Int64 {
  /// Creates an integer from its sign and its absolute value, or returns `nil` if it does not fit.
  init?(magnitude: UInt64, isNegative: Bool) {
    guard isNegative else {
      self.init(exactly: magnitude)
      return
    }
    guard magnitude <= Int64.min.magnitude else { return nil }
    self.init(truncatingIfNeeded: 0 &- magnitude)
  }
}

extension DecimalDigits: Comparable {
  static func < (a: DecimalDigits, b: DecimalDigits) -> Bool {
    guard a.sign == b.sign else { return a.sign < b.sign }
    let isSmallerMagnitude =
      a.pointOffset != b.pointOffset ? a.pointOffset < b.pointOffset : a.significant.lexicographicallyPrecedes(b.significant)
    // Of two negative numbers, the one with the larger magnitude is smaller.
    return a.isNegative ? a != b && !isSmallerMagnitude : isSmallerMagnitude
  }

  /// The sign as -1, 0 or 1.
  private var sign: Int {
    if significant.isEmpty { return 0 }
    return isNegative ? -1 : 1
  }
}

extension ArraySlice<UInt8> {
  /// Removes the digits at the start and returns their values.
  fileprivate mutating func takeDigits() -> [UInt8] {
    let digits = prefix(while: \.isASCIIDigit)
    removeFirst(digits.count)
    return digits.map { $0 - UInt8(ascii: "0") }
  }

  /// Removes an optional sign and the digits at the start and returns their value, or returns `nil` if there are no digits.
  ///
  /// The magnitude is clamped to ``DecimalDigits/exponentMax``.
  fileprivate mutating func takeExponent() -> Int? {
    let isNegative = first == UInt8(ascii: "-")
    if isNegative || first == UInt8(ascii: "+") { removeFirst() }
    let digits = takeDigits()
    guard !digits.isEmpty else { return nil }
    let magnitude = digits.reduce(0) { Swift.min($0 * 10 + Int($1), DecimalDigits.exponentMax) }
    return isNegative ? -magnitude : magnitude
  }
}
