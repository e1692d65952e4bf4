/// A JSON number as a person writes it (RFC 8259, section 6). It compares exactly with integers, regardless of its number of digits.
struct WrittenNumber: Hashable, Sendable {
  /// The largest integer that is not greater than the number.
  private enum Floor: Hashable, Sendable {
    case belowAll
    case integer(Int64, isWhole: Bool)
    case aboveAll
  }

  private let floor: Floor
  private let digits: DecimalDigits
  /// The nearest double, possibly infinite. The log's numbers with a fraction were rounded in the same way.
  private let nearest: Double

  /// Parses a number, or returns nil if the text is anything else.
  init?(_ text: String) {
    guard let digits = DecimalDigits(text), let nearest = Double(text) else { return nil }
    self.nearest = nearest
    self.digits = digits
    floor = Self.floor(of: digits)
  }

  /// Returns the order of a number, or of a text that reads as one, relative to this number; nil for any other value.
  func order(of candidate: PropertyValue) -> ValueOrder? {
    switch candidate {
    case .integer(let value): order(of: value)
    case .double(let value): ValueOrder(value, to: nearest)
    case .string(let text): DecimalDigits(text).map { ValueOrder($0, to: digits) }
    case .bool, .null: nil
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

  private static func floor(of number: DecimalDigits) -> Floor {
    let significant = number.significant
    if significant.isEmpty { return .integer(0, isWhole: true) }
    let isWhole = number.pointPlace >= significant.count
    // Every number of 19 digits fits into an unsigned 64-bit integer; no Int64 has more digits.
    guard number.pointPlace <= 19 else { return number.isNegative ? .belowAll : .aboveAll }
    var magnitude: UInt64 = 0
    for place in 0..<max(number.pointPlace, 0) {
      magnitude = magnitude * 10 + UInt64(place < significant.count ? significant[place] : 0)
    }
    guard number.isNegative else { return Int64(exactly: magnitude).map { .integer($0, isWhole: isWhole) } ?? .aboveAll }
    // For a negative number, truncation rounds up. The magnitude is at most 10^19 - 1 + 1, so it does not overflow.
    if !isWhole { magnitude += 1 }
    guard magnitude <= Int64.min.magnitude else { return .belowAll }
    return .integer(Int64(truncatingIfNeeded: 0 &- magnitude), isWhole: isWhole)
  }
}
