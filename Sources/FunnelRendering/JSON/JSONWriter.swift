package import FunnelModel

/// Builds JSON from literals of this program and escaped values.
///
///     var output = JSONWriter()
///     output.append("{\"flow\":")
///     output.append(string: flow)
///     output.append(",\"by\":")
///     output.append(JSONValue.texts(dimensions))
///     output.append("}")
///
/// Only a `StaticString` is appended as it is, so no text of an event can add punctuation.
package struct JSONWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// Appends punctuation or a key of this program.
  package mutating func append(_ literal: StaticString) {
    bytes.append(text: literal)
  }

  /// Appends a string. Besides the characters that RFC 8259 requires, it escapes hidden characters, which could
  /// affect a terminal that displays the report. The value of the string is the same.
  package mutating func append(string text: String) {
    guard text.unicodeScalars.contains(where: { $0.value >= 0x7F && $0.isHidden }) else { return bytes.appendJSONString(text) }
    var quoted: [UInt8] = []
    quoted.appendJSONString(text)
    for scalar in String(decoding: quoted, as: UTF8.self).unicodeScalars {
      guard scalar.value >= 0x7F, scalar.isHidden else {
        bytes.append(contentsOf: Unicode.UTF8.encode(scalar)!)
        continue
      }
      for unit in Unicode.UTF16.encode(scalar)! {
        let digits = String(unit, radix: 16)
        bytes.append(text: "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits)
      }
    }
  }

  /// Appends an integer.
  package mutating func append(integer: Int64) {
    bytes.appendDecimal(integer)
  }

  /// Appends the shortest representation of a number that is parsed as the same value. A number that is not
  /// finite is written as null.
  package mutating func append(number: Double) {
    if number.isFinite { bytes.appendJSONNumber(number) } else { append("null") }
  }

  /// Appends all digits of a decimal number.
  package mutating func append(_ number: ExactDecimal) { bytes.append(text: number.description) }
}

/// The encoding of the values of a report. An absent value is written as `null`.
extension JSONWriter {
  /// Appends a string, or null.
  package mutating func append(text: String?) {
    if let text { append(string: text) } else { append("null") }
  }

  /// Appends an integer, or null.
  package mutating func append(_ count: Int?) {
    if let count { append(integer: Int64(count)) } else { append("null") }
  }

  /// Appends a number, or null.
  package mutating func append(_ share: Double?) {
    if let share { append(number: share) } else { append("null") }
  }

  /// Appends `true` or `false`.
  package mutating func append(_ flag: Bool) {
    append(flag ? "true" : "false")
  }

  /// Appends the 95 % interval of a rate, or null.
  package mutating func append(interval rate: Rate?) {
    append(interval: rate?.low, rate?.high)
  }

  /// Appends the bounds of an interval, or null if there is none.
  package mutating func append(interval low: Double?, _ high: Double?) {
    guard let low, let high else { return append("null") }
    append("[")
    append(number: low)
    append(",")
    append(number: high)
    append("]")
  }

  /// Appends quantiles as an object, or null.
  package mutating func append(_ quantiles: Quantiles?) {
    append(JSONValue.quantiles(quantiles))
  }

  /// Appends the value of a property.
  package mutating func append(_ value: PropertyValue) {
    switch value {
    case .string(let text): append(string: text)
    case .integer(let number): append(integer: number)
    case .double(let number): append(number: number)
    case .bool(let flag): append(flag)
    case .null: append("null")
    }
  }

  /// Appends an array with one element per line, which suits line-based tools such as `diff` and `grep`.
  package mutating func append<Element>(
    lines elements: [Element], indent: StaticString, end: StaticString, element body: (inout JSONWriter, Element) -> Void
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

extension JSONWriter {
  /// Appends a value as JSON.
  package mutating func append(_ tree: JSONValue) {
    switch tree {
    case .object(let members):
      append("{")
      for (index, (key, value)) in members.enumerated() {
        if index > 0 { append(",") }
        append(string: key)
        append(":")
        append(value)
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
