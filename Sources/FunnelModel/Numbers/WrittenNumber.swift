/// A number in a condition, in JSON syntax (RFC 8259, section 6). It compares exactly with every integer,
/// however many digits it has.
struct WrittenNumber: Hashable, Sendable {
  /// The largest integer that is not greater than the number.
  private enum Floor: Hashable, Sendable {
    /// An integer below `Int64.min`.
    case belowAll
    /// An `Int64`, and whether the number equals it.
    case integer(Int64, isWhole: Bool)
    /// An integer above `Int64.max`.
    case aboveAll
  }

  private let floor: Floor
  private let digits: DecimalDigits
  /// The nearest double, possibly infinite. Logged numbers with a fraction are rounded in the same way.
  private let nearest: Double

  /// Parses a number, or returns `nil` if the text is anything else.
  init?(_ text: String) {
    guard let digits = DecimalDigits(text), let nearest = Double(text) else { return nil }
    self.nearest = nearest
    self.digits = digits
    floor = Self.floor(of: digits)
  }

  /// Returns the order of a value relative to this number, or `nil` if the value is neither a number nor a
  /// string that contains one.
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
    let outside = number.isNegative ? Floor.belowAll : .aboveAll
    guard let truncated = number.truncatedMagnitude else { return outside }
    // For a negative number, truncation rounds up. The sum is at most 10^19, so it does not overflow.
    let magnitude = number.isNegative && !number.isWhole ? truncated + 1 : truncated
    guard let floor = Int64(magnitude: magnitude, isNegative: number.isNegative) else { return outside }
    return .integer(floor, isWhole: number.isWhole)
  }
}
