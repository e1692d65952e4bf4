/// A JSON number as a person writes it (RFC 8259, section 6). It compares exactly with integers, regardless of its number of digits.
struct WrittenNumber: Hashable, Sendable {
  /// The largest integer that is not greater than the number.
  private enum Floor: Hashable, Sendable {
    case belowAll
    case integer(Int64, isWhole: Bool)
    case aboveAll
  }

  private let floor: Floor
  /// The nearest double, possibly infinite. The log's numbers with a fraction were rounded in the same way.
  private let nearest: Double

  /// Parses a number, or returns nil if the text is anything else.
  init?(_ text: String) {
    var rest = Array(text.utf8)[...]
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative { rest.removeFirst() }
    let whole = rest.takeDigits()
    guard !whole.isEmpty, whole.count == 1 || whole.first != UInt8(ascii: "0") else { return nil }
    var fraction: ArraySlice<UInt8> = []
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
    guard rest.isEmpty, let nearest = Double(text) else { return nil }
    self.nearest = nearest
    floor = Self.floor(isNegative: isNegative, digits: whole + fraction, pointPlace: whole.count + exponent)
  }

  /// Returns the order of a JSON number relative to this one, or nil if the value is not a number.
  func order(of candidate: PropertyValue) -> ValueOrder? {
    switch candidate {
    case .integer(let value): order(of: value)
    case .double(let value): ValueOrder(value, to: nearest)
    case .string, .bool, .null: nil
    }
  }

  private func order(of value: Int64) -> ValueOrder {
    switch floor {
    case .belowAll: .after
    case .aboveAll: .before
    // The number is at least its floor and less than the next integer.
    case .integer(let floor, let isWhole): value == floor && !isWhole ? .before : ValueOrder(value, to: floor)
    }
  }

  /// Returns the floor of the number with the given digits and the decimal point after the first `pointPlace` of them.
  private static func floor(isNegative: Bool, digits: ArraySlice<UInt8>, pointPlace: Int) -> Floor {
    let leadingZeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
    var significant = digits.dropFirst(leadingZeros)
    while significant.last == UInt8(ascii: "0") { significant.removeLast() }
    if significant.isEmpty { return .integer(0, isWhole: true) }
    let wholeCount = pointPlace - leadingZeros
    let isWhole = wholeCount >= significant.count
    // Every number of 19 digits fits into an unsigned 64-bit integer; no Int64 has more digits.
    guard wholeCount <= 19 else { return isNegative ? .belowAll : .aboveAll }
    var magnitude: UInt64 = 0
    for place in 0..<max(wholeCount, 0) {
      let digit = place < significant.count ? significant[significant.startIndex + place] - UInt8(ascii: "0") : 0
      magnitude = magnitude * 10 + UInt64(digit)
    }
    guard isNegative else { return Int64(exactly: magnitude).map { .integer($0, isWhole: isWhole) } ?? .aboveAll }
    // For a negative number, truncation rounds up. The magnitude is at most 10^19 - 1 + 1, so it does not overflow.
    if !isWhole { magnitude += 1 }
    guard magnitude <= Int64.min.magnitude else { return .belowAll }
    return .integer(Int64(truncatingIfNeeded: 0 &- magnitude), isWhole: isWhole)
  }
}

extension ArraySlice<UInt8> {
  /// Removes and returns the digits at the beginning.
  fileprivate mutating func takeDigits() -> ArraySlice<UInt8> {
    let digits = prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    removeFirst(digits.count)
    return digits
  }

  /// Removes and returns a sign and digits, or returns nil if there are no digits. A magnitude above 1 000 000 000 is clamped to that
  /// value, which makes no difference, because no text that fits into memory has as many digits.
  fileprivate mutating func takeExponent() -> Int? {
    let isNegative = first == UInt8(ascii: "-")
    if isNegative || first == UInt8(ascii: "+") { removeFirst() }
    let digits = takeDigits()
    guard !digits.isEmpty else { return nil }
    let magnitude = digits.reduce(0) { Swift.min($0 * 10 + Int($1 - UInt8(ascii: "0")), 1_000_000_000) }
    return isNegative ? -magnitude : magnitude
  }
}
