import FunnelModel
import FunnelProjections

/// A JSON value of a field. CSV writes it as JSON into one cell.
indirect enum FieldTree: Sendable {
  case object([(String, FieldTree)])
  case array([FieldTree])
  case value(PropertyValue)
  case text(String)
  case count(Int)
  case number(Double)
  case decimal(ExactDecimal)
  case flag(Bool)
  case null

  /// Returns a rate as two members of an object: the share, and its 95 % interval.
  static func rate(_ name: String, _ rate: Rate?) -> [(String, FieldTree)] {
    [
      (name, rate.map { .number($0.value) } ?? .null),
      ("\(name)_ci95", rate.map { .array([.number($0.low), .number($0.high)]) } ?? .null),
    ]
  }

  /// Returns quantiles as an object, or null if there are none.
  static func quantiles(_ quantiles: Quantiles?) -> FieldTree {
    quantiles.map {
      .object([("p50", .count(Int($0.p50))), ("p90", .count(Int($0.p90))), ("p99", .count(Int($0.p99)))])
    } ?? .null
  }
}

extension JSONOutput {
  /// Appends a value as JSON.
  mutating func append(_ tree: FieldTree) {
    switch tree {
    case .object(let members):
      append("{")
      for (index, member) in members.enumerated() {
        if index > 0 { append(",") }
        append(string: member.0)
        append(":")
        append(member.1)
      }
      append("}")
    case .array(let elements):
      append("[")
      for (index, element) in elements.enumerated() {
        if index > 0 { append(",") }
        append(element)
      }
      append("]")
    case .value(let value): append(value)
    case .text(let text): append(string: text)
    case .count(let count): append(count)
    case .number(let number): append(number: number)
    case .decimal(let number): append(number)
    case .flag(let flag): append(flag)
    case .null: append("null")
    }
  }
}
