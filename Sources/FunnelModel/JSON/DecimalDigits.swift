/// The digits of a JSON number (RFC 8259, section 6), before they are rounded to any type.
struct DecimalDigits: Hashable, Sendable {
  /// Whether the number is below zero.
  let isNegative: Bool
  /// The values of the digits without leading and trailing zeros; empty for zero.
  let significant: [UInt8]
  /// The number of ``significant`` digits before the decimal point: 2 for 12.5, 4 for 1200 and -1 for 0.05.
  let pointPlace: Int

  /// Parses a number, or returns nil if the text is anything else.
  init?(_ text: some StringProtocol) {
    var rest = Array(text.utf8)[...]
    let hasMinus = rest.first == UInt8(ascii: "-")
    if hasMinus { rest.removeFirst() }
    let whole = rest.takeDigits()
    guard !whole.isEmpty, whole.count == 1 || whole.first != 0 else { return nil }
    var fraction: [UInt8] = []
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      fraction = rest.takeDigits()
      if fraction.isEmpty { return nil }
    }
    var exponent = 0
    if let letter = rest.first, letter | 0x20 == UInt8(ascii: "e") {
      rest.removeFirst()
      guard let read = rest.takeExponent() else { return nil }
      exponent = read
    }
    guard rest.isEmpty else { return nil }
    let digits = whole + fraction
    let leadingZeros = digits.prefix { $0 == 0 }.count
    let trailingZeros = digits.dropFirst(leadingZeros).reversed().prefix { $0 == 0 }.count
    significant = Array(digits.dropFirst(leadingZeros).dropLast(trailingZeros))
    isNegative = hasMinus && !significant.isEmpty
    pointPlace = significant.isEmpty ? 0 : whole.count + exponent - leadingZeros
  }
}

extension DecimalDigits: Comparable {
  static func < (a: DecimalDigits, b: DecimalDigits) -> Bool {
    guard a.sign == b.sign else { return a.sign < b.sign }
    let precedes =
      a.pointPlace != b.pointPlace ? a.pointPlace < b.pointPlace : a.significant.lexicographicallyPrecedes(b.significant)
    return a.isNegative ? a != b && !precedes : precedes
  }

  /// -1, 0 or 1.
  private var sign: Int { significant.isEmpty ? 0 : isNegative ? -1 : 1 }
}

extension ArraySlice<UInt8> {
  /// Removes the digits at the beginning and returns their values.
  fileprivate mutating func takeDigits() -> [UInt8] {
    let digits = prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    removeFirst(digits.count)
    return digits.map { $0 - UInt8(ascii: "0") }
  }

  /// Removes and returns a sign and digits, or returns nil if there are no digits. A magnitude above 1 000 000 000 is clamped to that
  /// value, which makes no difference, because no text that fits into memory has as many digits.
  fileprivate mutating func takeExponent() -> Int? {
    let isNegative = first == UInt8(ascii: "-")
    if isNegative || first == UInt8(ascii: "+") { removeFirst() }
    let digits = takeDigits()
    guard !digits.isEmpty else { return nil }
    let magnitude = digits.reduce(0) { Swift.min($0 * 10 + Int($1), 1_000_000_000) }
    return isNegative ? -magnitude : magnitude
  }
}
