import FunnelModel

/// A rule that escapes untrusted text for one output format.
package protocol EscapeRule: Sendable {
  /// Returns a text in which no character has a special meaning in the format.
  static func escape(_ text: String) -> String
}

/// Text that is safe in an output format: literals of the program are unchanged, all other text is escaped.
///
/// It can only be created from literals and interpolations. Text of an event or a definition is therefore always escaped:
///
///     let cell: HTMLText = "<td>\(name)</td>"     // `name` is escaped, the tags are not
///     let line: TerminalText = "window \(name)"   // `name` has no control characters
package struct Escaped<Rule: EscapeRule>: ExpressibleByStringInterpolation, Hashable, Sendable {
  /// The escaped text.
  package let text: String

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ literal: StaticString) { text += literal.description }
    package mutating func appendInterpolation(_ untrusted: String) { text += Rule.escape(untrusted) }
    package mutating func appendInterpolation(_ escaped: Escaped) { text += escaped.text }
  }

  package init(stringLiteral literal: StaticString) { text = literal.description }
  package init(stringInterpolation interpolation: StringInterpolation) { text = interpolation.text }
  fileprivate init(escaped text: String) { self.text = text }

  package static func + (lhs: Escaped, rhs: Escaped) -> Escaped { Escaped(escaped: lhs.text + rhs.text) }
  package static func += (lhs: inout Escaped, rhs: Escaped) { lhs = lhs + rhs }

  package var isEmpty: Bool { text.isEmpty }

  /// Returns the text repeated a number of times.
  package func repeated(_ count: Int) -> Escaped { Escaped(escaped: String(repeating: text, count: max(count, 0))) }

  /// Returns the longest prefix that fits into a number of terminal columns.
  func prefix(columns: Int) -> Escaped {
    var remaining = columns
    return Escaped(
      escaped: String(
        text.prefix { character in
          remaining -= character.displayWidth
          return remaining >= 0
        }))
  }

  /// The text split at every blank. Two consecutive blanks have an empty part between them.
  var partsBetweenBlanks: [Escaped] {
    text.split(separator: " ", omittingEmptySubsequences: false).map { Escaped(escaped: String($0)) }
  }

  /// The text without trailing blanks.
  package var withoutTrailingBlanks: Escaped {
    let end = text.utf8.lastIndex { $0 != UInt8(ascii: " ") }.map { text.utf8.index(after: $0) }
    return Escaped(escaped: String(text[..<(end ?? text.startIndex)]))
  }
}

extension Sequence {
  /// Returns the texts joined, with a separator between any two of them.
  package func joined<Rule>(separator: Escaped<Rule> = "") -> Escaped<Rule> where Element == Escaped<Rule> {
    Escaped(escaped: lazy.map(\.text).joined(separator: separator.text))
  }
}

// The texts below need no escaping, so only this file can create them.

extension Escaped where Rule == CSVFormulaEscape {
  /// The cell of an absent value.
  package static let absent: CSVText = ""

  /// Creates a cell with a number. A sign does not make it a formula.
  package init(number: Int64) { self.init(escaped: String(number)) }

  /// Creates a cell with the shortest representation of a number that is parsed as the same value. A number
  /// that is not finite is absent.
  package init(number: Double) {
    var bytes: [UInt8] = []
    if number.isFinite { bytes.appendJSONNumber(number) }
    self.init(escaped: String(decoding: bytes, as: UTF8.self))
  }
}

extension Escaped where Rule == HTMLEscape {
  /// Returns the source of a script. The content of a `script` element is not escaped (HTML Standard, 13.1.2.1).
  ///
  /// - Precondition: The source is of this program, and does not end the element.
  static func script(_ source: String) -> HTMLText {
    precondition(!source.contains("</script") && !source.contains("<!--"), "a script does not end its element")
    return HTMLText(escaped: source)
  }
}
