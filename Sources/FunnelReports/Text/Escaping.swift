import FunnelModel

/// A rule that escapes untrusted text for one output format.
protocol EscapeRule: Sendable {
  /// Returns a text in which no character has a special meaning in the format.
  static func escape(_ text: String) -> String
}

/// Text that is safe in an output format: literals of the program are unchanged, all other text is escaped.
///
/// It can only be created from literals and interpolations. Text of an event or a definition is therefore
/// always escaped: `let line: TerminalText = "window \(userText)"` escapes `userText`.
struct Escaped<Rule: EscapeRule>: ExpressibleByStringInterpolation, Hashable, Sendable {
  /// The escaped text.
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

  /// Returns the text repeated a number of times.
  func repeated(_ count: Int) -> Escaped { Escaped(escaped: String(repeating: text, count: max(count, 0))) }

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
  var withoutTrailingBlanks: Escaped {
    let end = text.utf8.lastIndex { $0 != UInt8(ascii: " ") }.map { text.utf8.index(after: $0) }
    return Escaped(escaped: String(text[..<(end ?? text.startIndex)]))
  }
}

/// Text for a terminal, without control characters, directional controls or other hidden characters.
typealias TerminalText = Escaped<TerminalEscape>
/// Text for GitHub Flavored Markdown. It renders as the same characters and starts no markup, link, mention or
/// table cell.
typealias MarkdownText = Escaped<MarkdownEscape>
/// A cell of a CSV file, quoted if necessary. A spreadsheet does not evaluate it as a formula.
typealias CSVText = Escaped<CSVEscape>

extension Escaped where Rule == CSVEscape {
  /// The cell of an absent value.
  static let absent: CSVText = ""

  /// Creates a cell with a number. A sign does not make it a formula.
  init(number: Int64) { self.init(escaped: String(number)) }

  /// Creates a cell with the shortest representation of a number that is parsed as the same value. A number
  /// that is not finite is absent.
  init(number: Double) {
    var bytes: [UInt8] = []
    if number.isFinite { bytes.appendJSONNumber(number) }
    self.init(escaped: String(decoding: bytes, as: UTF8.self))
  }
}

/// Replaces hidden characters by visible text.
enum TerminalEscape: EscapeRule {
  /// The maximum number of combining marks on one character. Natural scripts need at most three.
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

/// Escapes the markup characters of CommonMark and GitHub with a backslash or an entity.
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
      // Keycap emoji are not split.
      case "#" where after == EmojiSequence.pictureSelector: result += "#"
      // GitHub looks for mentions and issue numbers after it has rendered the Markdown, so only a separate node
      // prevents them.
      case "@", "#": result += "\(scalar)<!-- -->"
      case "\\", "`", "*", "[", "]", "|", "~", "$": result += "\\\(scalar)"
      case "_" where !(before.properties.isAlphabetic && after.properties.isAlphabetic): result += "\\_"
      // GitHub turns http:// and www. into links.
      case ":" where after == "/": result += "\\:"
      case "." where before == "w" || before == "W": result += "\\."
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

/// Quotes cells by RFC 4180 and prefixes possible formulas with an apostrophe (OWASP, CSV injection).
///
/// Control characters other than tab and line ends, and directional controls, become visible text. All other
/// characters are kept as data.
enum CSVEscape: EscapeRule {
  private static let formulaStarts: Set<Unicode.Scalar> = [
    "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
  ]
  private static let quoted: Set<Unicode.Scalar> = [",", ";", "\"", "\n", "\r", "\t"]

  static func escape(_ text: String) -> String {
    var cell = ""
    // A spreadsheet may trim blanks and hidden characters before it looks for a formula, so they are skipped.
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

/// A piece of JSON, built only from literals of this program and escaped values.
struct JSONOutput {
  private(set) var bytes: [UInt8] = []

  /// Appends punctuation or a key of this program.
  mutating func append(_ literal: StaticString) {
    bytes.append(text: literal)
  }

  /// Appends a string. Besides the characters that RFC 8259 requires, it escapes hidden characters, which could
  /// affect a terminal that displays the report. The value of the string is the same.
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

  /// Appends an integer.
  mutating func append(integer: Int64) {
    bytes.appendDecimal(integer)
  }

  /// Appends the shortest representation of a number that is parsed as the same value. A number that is not
  /// finite is written as null.
  mutating func append(number: Double) {
    if number.isFinite { bytes.appendJSONNumber(number) } else { append("null") }
  }

  /// Appends all digits of a decimal number.
  mutating func append(_ number: ExactDecimal) { bytes.append(text: number.description) }
}
