import FunnelModel

/// How one output format makes any text harmless.
protocol EscapeRule: Sendable {
  static func escape(_ text: String) -> String
}

/// Text that may stand in an output: literals of this program as they are, everything else through the format's escape.
///
/// It can only be made from literals and interpolation, so that no text of an event or a definition reaches an output but through this
/// file: `let line: TerminalText = "window \(userText)"` escapes `userText`.
struct Escaped<Rule: EscapeRule>: ExpressibleByStringInterpolation, Hashable, Sendable {
  /// The text as it is printed.
  let text: String

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ literal: StaticString) { text += literal.description }
    mutating func appendInterpolation(_ untrusted: String) { text += Rule.escape(untrusted) }
    mutating func appendInterpolation(_ escaped: Escaped) { text += escaped.text }
  }

  init(stringLiteral literal: StaticString) { text = literal.description }
  init(stringInterpolation interpolation: StringInterpolation) { text = interpolation.text }
  fileprivate init(escaped text: String) { self.text = text }

  static func + (lhs: Escaped, rhs: Escaped) -> Escaped { Escaped(escaped: lhs.text + rhs.text) }

  /// The text so many times in a row.
  func repeated(_ count: Int) -> Escaped { Escaped(escaped: String(repeating: text, count: max(count, 0))) }

  /// The first characters that fit into so many columns of a terminal.
  func prefix(columns: Int) -> Escaped {
    var rest = columns
    return Escaped(
      escaped: String(
        text.prefix { character in
          rest -= character.displayWidth
          return rest >= 0
        }))
  }

  /// The text cut at every blank; two in a row have an empty text between them.
  var partsBetweenBlanks: [Escaped] {
    text.split(separator: " ", omittingEmptySubsequences: false).map { Escaped(escaped: String($0)) }
  }

  /// The text without blanks at its end.
  var withoutTrailingBlanks: Escaped {
    let end = text.utf8.lastIndex { $0 != UInt8(ascii: " ") }.map { text.utf8.index(after: $0) }
    return Escaped(escaped: String(text[..<(end ?? text.startIndex)]))
  }
}

/// Text in a terminal: nothing that drives it, reorders it or hides in it.
typealias TerminalText = Escaped<TerminalEscape>
/// Text in GitHub flavoured Markdown: it renders as the same characters and starts no markup, link, mention or table cell.
typealias MarkdownText = Escaped<MarkdownEscape>
/// A cell of a CSV file, quoted where it must be; no spreadsheet takes it for a formula.
typealias CSVText = Escaped<CSVEscape>

extension Escaped where Rule == CSVEscape {
  /// The cell of what is absent.
  static let absent: CSVText = ""

  /// A number is no formula, whatever its sign.
  init(number: Int64) { self.init(escaped: String(number)) }

  /// A number in the shortest text that reads back to it; what is not finite is absent.
  init(number: Double) {
    var bytes: [UInt8] = []
    if number.isFinite { bytes.appendJSONNumber(number) }
    self.init(escaped: String(decoding: bytes, as: UTF8.self))
  }
}

/// Hidden characters become visible text.
enum TerminalEscape: EscapeRule {
  /// Marks that may stand on one character; real scripts need three.
  private static let combiningMarksMax = 4

  static func escape(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
    var result = ""
    var marks = combiningMarksMax
    let scalars = Array(text.unicodeScalars)
    var emojiEnd = 0
    for (index, scalar) in scalars.enumerated() {
      if index >= emojiEnd { emojiEnd = index + EmojiSequence.length(in: scalars, at: index) }
      if index < emojiEnd {
        result.unicodeScalars.append(scalar)
        marks = 0
        continue
      }
      if scalar.isVariationSelector { continue }
      marks = scalar.displayWidth == 0 ? marks + 1 : 0
      if scalar.isHidden || marks > combiningMarksMax {
        result += scalar.visibleText
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

/// Markup characters of CommonMark and GitHub get a backslash or become entities.
enum MarkdownEscape: EscapeRule {
  static func escape(_ text: String) -> String {
    let scalars = Array(TerminalEscape.escape(text).unicodeScalars)
    var result = ""
    for (index, scalar) in scalars.enumerated() {
      let before = index > 0 ? scalars[index - 1] : " "
      let after = index + 1 < scalars.count ? scalars[index + 1] : " "
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      // A keycap stays whole.
      case "#" where after == EmojiSequence.pictureSelector: result += "#"
      // GitHub looks for mentions and issue numbers after Markdown is done, where only another node between keeps them apart.
      case "@", "#": result += "\(scalar)<!-- -->"
      case "\\", "`", "*", "[", "]", "|", "~", "$": result += "\\\(scalar)"
      case "_" where !(before.properties.isAlphabetic && after.properties.isAlphabetic): result += "\\_"
      // http:// and www. become links by themselves.
      case ":" where after == "/": result += "\\:"
      case "." where before == "w" || before == "W": result += "\\."
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

/// RFC 4180 quoting, and an apostrophe in front of what a spreadsheet would compute (OWASP, CSV injection).
///
/// Control characters but tab and line ends, and directional controls, become visible text; all other characters are data and stay.
enum CSVEscape: EscapeRule {
  private static let formulaStarts: Set<Unicode.Scalar> = [
    "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
  ]
  private static let quoted: Set<Unicode.Scalar> = [",", ";", "\"", "\n", "\r", "\t"]

  static func escape(_ text: String) -> String {
    var cell = ""
    // What a spreadsheet may trim before it looks for a formula does not hide one.
    if let first = text.unicodeScalars.first(where: { !$0.isBlankOrHidden }), formulaStarts.contains(first) { cell = "'" }
    for scalar in text.unicodeScalars {
      if scalar.isControlOfDirectionOrDevice {
        cell += scalar.visibleText
      } else {
        cell.unicodeScalars.append(scalar)
      }
    }
    let needsQuotes =
      cell.isEmpty || cell.hasPrefix(" ") || cell.hasSuffix(" ") || cell.unicodeScalars.contains { quoted.contains($0) }
    guard needsQuotes else { return cell }
    var result = "\""
    for scalar in cell.unicodeScalars {
      if scalar == "\"" { result += "\"" }
      result.unicodeScalars.append(scalar)
    }
    return result + "\""
  }
}

/// A piece of JSON, made only of literals of this program and of values that went through JSON's escape.
struct JSONOutput {
  private(set) var bytes: [UInt8] = []

  /// Appends punctuation and keys of this program.
  mutating func append(_ literal: StaticString) {
    bytes.append(text: literal)
  }

  /// Appends a string. What RFC 8259 demands is escaped, and what can't be seen: a report that is looked at in a terminal must not
  /// drive it, and a program reads the same string either way.
  mutating func append(string text: String) {
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

  /// Appends a whole number.
  mutating func append(integer: Int64) {
    bytes.appendDecimal(integer)
  }

  /// Appends a number in the shortest text that reads back to it; JSON has no text for what is not finite, so that is null.
  mutating func append(number: Double) {
    if number.isFinite { bytes.appendJSONNumber(number) } else { append("null") }
  }
}
