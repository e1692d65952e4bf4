package import FunnelModel

/// A JSON scalar. A string refers to the parsed line or to the memory of the parser.
package enum Scalar: BitwiseCopyable {
  case string(BorrowedText)
  case integer(Int64)
  case double(Double)
  case bool(Bool)
  case null

  @inline(__always)
  package var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// Creates an integer if the number is whole and at most 2^53, such as `2.0`, and a double otherwise.
  init(number: Double) {
    // Up to 2^53, a whole double is written without a fraction, so it is an integer when the record is parsed again.
    if let whole = Int64(exactly: number), abs(number) <= Self.exactDoubleMax {
      self = .integer(whole)
    } else {
      self = .double(number)
    }
  }

  /// 2^53: every whole number up to it has an exact representation as a double.
  private static let exactDoubleMax: Double = 9_007_199_254_740_992

  /// The value with a copy of its string.
  package var propertyValue: PropertyValue {
    switch self {
    case .string(let text): .string(text.text)
    case .integer(let value): .integer(value)
    case .double(let value): .double(value)
    case .bool(let value): .bool(value)
    case .null: .null
    }
  }

  /// Combines the value and its type into a hash.
  package func combine(into hasher: inout SipHasher) {
    switch self {
    case .string(let text):
      hasher.combine(0)
      hasher.combine(text.span)
    case .integer(let value):
      hasher.combine(1)
      hasher.combine(UInt64(bitPattern: value))
    case .double(let value):
      hasher.combine(2)
      hasher.combine(value.bitPattern)
    case .bool(let value): hasher.combine(value ? 3 : 4)
    case .null: hasher.combine(5)
    }
  }
}
