import FunnelModel
import FunnelProjections

/// The encoding of the values of a report. An absent value is written as `null`.
extension JSONOutput {
  /// Appends a string, or null.
  mutating func append(text: String?) {
    if let text { append(string: text) } else { append("null") }
  }

  /// Appends an integer, or null.
  mutating func append(_ count: Int?) {
    if let count { append(integer: Int64(count)) } else { append("null") }
  }

  /// Appends a number, or null.
  mutating func append(_ share: Double?) {
    if let share { append(number: share) } else { append("null") }
  }

  /// Appends `true` or `false`.
  mutating func append(_ flag: Bool) {
    append(flag ? "true" : "false")
  }

  /// Appends the 95 % interval of a rate, or null.
  mutating func append(interval rate: Rate?) {
    append(interval: rate?.low, rate?.high)
  }

  /// Appends the bounds of an interval, or null if there is none.
  mutating func append(interval low: Double?, _ high: Double?) {
    guard let low, let high else { return append("null") }
    append("[")
    append(number: low)
    append(",")
    append(number: high)
    append("]")
  }

  /// Appends quantiles as an object, or null.
  mutating func append(_ quantiles: Quantiles?) {
    guard let quantiles else { return append("null") }
    append("{\"p50\":")
    append(integer: quantiles.p50)
    append(",\"p90\":")
    append(integer: quantiles.p90)
    append(",\"p99\":")
    append(integer: quantiles.p99)
    append("}")
  }

  /// Appends the value of a property.
  mutating func append(_ value: PropertyValue) {
    switch value {
    case .string(let text): append(string: text)
    case .integer(let number): append(integer: number)
    case .double(let number): append(number: number)
    case .bool(let flag): append(flag)
    case .null: append("null")
    }
  }

  /// Appends an array of strings.
  mutating func append(strings: [String]) {
    append("[")
    for (index, text) in strings.enumerated() {
      if index > 0 { append(",") }
      append(string: text)
    }
    append("]")
  }

  /// Appends an array with one element per line, which suits line-based tools such as `diff` and `grep`.
  mutating func append<Element>(
    lines elements: [Element], indent: StaticString, end: StaticString, element body: (inout JSONOutput, Element) -> Void
  ) {
    append("[")
    for (index, element) in elements.enumerated() {
      if index > 0 { append(",") }
      append(indent)
      body(&self, element)
    }
    if !elements.isEmpty { append(end) }
    append("]")
  }
}
