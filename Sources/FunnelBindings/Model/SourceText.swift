import FunnelModel

/// A builder of indented source text.
struct SourceText {
  private(set) var text = ""
  private let indentation: String
  private var level = 0

  /// - Parameter indentation: The text that precedes a line for each nesting level.
  init(indentation: String) { self.indentation = indentation }

  /// Appends an indented line. An empty line is not indented.
  mutating func line(_ line: String = "") {
    text += line.isEmpty ? "\n" : String(repeating: indentation, count: level) + line + "\n"
  }

  /// Appends a first line, the lines of a body one level deeper, and a last line.
  mutating func block(_ first: String, _ last: String = "}", _ body: (inout SourceText) -> Void) {
    line(first)
    level += 1
    body(&self)
    level -= 1
    line(last)
  }

  /// Appends the lines of a body one level deeper.
  mutating func nested(_ body: (inout SourceText) -> Void) {
    level += 1
    body(&self)
    level -= 1
  }

  /// Returns a text for use in a comment: on one line, without `/*` and `*/`.
  static func comment(_ text: String) -> String {
    text.printable.replacing("*/", with: "* /").replacing("/*", with: "/ *")
  }

  /// Returns a string literal for JSON and TypeScript.
  static func jsonLiteral(_ text: String) -> String {
    // U+2028 and U+2029 are legal in JSON strings, but not in older JavaScript. Other invisible characters are
    // escaped for readability.
    var literal = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": literal += "\\\""
      case "\\": literal += "\\\\"
      case "\n": literal += "\\n"
      case _ where String(scalar).printable != String(scalar):
        for unit in String(scalar).utf16 { literal += "\\u" + hexadecimal(unit) }
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return literal + "\""
  }

  /// Returns a Kotlin string literal, in which a dollar sign is escaped because it starts a template expression.
  static func kotlinLiteral(_ text: String) -> String { jsonLiteral(text).replacing("$", with: "\\$") }

  /// Returns a Swift string literal.
  static func swiftLiteral(_ text: String) -> String {
    var literal = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": literal += "\\\""
      case "\\": literal += "\\\\"
      default: literal += String(scalar).printable
      }
    }
    return literal + "\""
  }

  /// Returns the four hexadecimal digits of a UTF-16 code unit.
  private static func hexadecimal(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    assert(digits.count <= 4, "a code unit has 16 bits")
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
