internal import FunnelModel

/// The value of a property: a JSON scalar.
public enum EventValue: Sendable, Hashable {
  case string(String)
  case integer(Int)
  /// A number; one that is not finite is refused.
  case double(Double)
  case bool(Bool)
  case null
}

extension EventValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int) { self = .integer(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(nilLiteral: ()) { self = .null }
}

extension EventValue {
  /// The value as the tool stores it: a whole number that a double holds exactly is an integer.
  var canonical: PropertyValue {
    switch self {
    case .string(let text): .string(text)
    case .integer(let number): .integer(Int64(number))
    case .double(let number):
      // Beyond 2^53 a double no longer stands for one whole number.
      if let whole = Int64(exactly: number), whole.magnitude <= 1 << 53 { .integer(whole) } else { .double(number) }
    case .bool(let flag): .bool(flag)
    case .null: .null
    }
  }
}
