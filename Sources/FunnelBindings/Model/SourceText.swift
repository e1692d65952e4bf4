import FunnelModel

/// Lines of source text, indented by their nesting.
struct SourceText {
  private(set) var text = ""
  private let indentation: String
  private var level = 0

  /// - Parameter indentation: What stands in front of a line for each level.
  init(indentation: String) { self.indentation = indentation }

  /// Appends a line; an empty one without blanks.
  mutating func line(_ line: String = "") {
    text += line.isEmpty ? "\n" : String(repeating: indentation, count: level) + line + "\n"
  }

  /// Appends a line, further lines one level deeper, and a last line.
  mutating func block(_ first: String, _ last: String = "}", _ body: (inout SourceText) -> Void) {
    line(first)
    level += 1
    body(&self)
    level -= 1
    line(last)
  }

  /// Appends a `switch` of Swift, the cases on its own level.
  mutating func choice(_ value: String, _ body: (inout SourceText) -> Void) {
    line("switch \(value) {")
    body(&self)
    line("}")
  }

  /// Appends lines, one level deeper.
  mutating func nested(_ body: (inout SourceText) -> Void) {
    level += 1
    body(&self)
    level -= 1
  }

  /// Returns a text as part of a comment: on one line, and without what begins or ends a comment of any kind.
  static func comment(_ text: String) -> String {
    text.printable.replacing("*/", with: "* /").replacing("/*", with: "/ *")
  }

  /// Returns a string literal that means the same in JSON, TypeScript and, with ``kotlinLiteral(_:)``'s addition, Kotlin.
  static func jsonLiteral(_ text: String) -> String {
    // Line separators are legal in JSON and were not always in JavaScript; invisible characters are shown.
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

  /// Returns a literal of Kotlin, in which a dollar sign begins an expression.
  static func kotlinLiteral(_ text: String) -> String { jsonLiteral(text).replacing("$", with: "\\$") }

  /// Returns a literal of Swift.
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

  private static func hexadecimal(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
