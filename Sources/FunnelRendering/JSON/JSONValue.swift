package import FunnelModel

/// A JSON value. CSV writes it as JSON into one cell.
package indirect enum JSONValue: Sendable {
  case object([(String, JSONValue)])
  case array([JSONValue])
  case value(PropertyValue)
  case text(String)
  case count(Int)
  case number(Double)
  case decimal(ExactDecimal)
  case flag(Bool)
  case null

  /// Returns a text, or null.
  package static func text(orNull text: String?) -> JSONValue { text.map { .text($0) } ?? .null }

  /// Returns an array of texts.
  package static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .text($0) }) }

  /// Returns a rate as two members of an object: the share, and its 95 % interval.
  package static func rate(_ name: String, _ rate: Rate?) -> [(String, JSONValue)] {
    [
      (name, rate.map { .number($0.value) } ?? .null),
      ("\(name)_ci95", rate.map { .array([.number($0.low), .number($0.high)]) } ?? .null),
    ]
  }

  /// Returns quantiles as an object, or null if there are none.
  package static func quantiles(_ quantiles: Quantiles?) -> JSONValue {
    quantiles.map {
      .object([("p50", .count(Int($0.p50))), ("p90", .count(Int($0.p90))), ("p99", .count(Int($0.p99)))])
    } ?? .null
  }
}
