/// The capabilities of the output that a table is printed to.
package struct TableStyle: Hashable, Sendable {
  /// The minimum width of a table, enough for a label of 16 columns and a number of 18. A narrower terminal
  /// wraps the lines.
  package static let widthMin = 40
  /// The maximum width that users can request. Bars reach their full length at a much smaller width.
  package static let widthMax = 1000

  /// The maximum width of a line, in columns.
  package let width: Int
  /// Whether to use ANSI colors: only on a terminal, and only if `NO_COLOR` is not set.
  package let color: Bool
  /// Whether bars and rules are limited to ASCII.
  package let isPlain: Bool

  /// The style for a pipe or a file: 100 columns, no color, ASCII.
  package static let file = TableStyle(width: 100, color: false, isPlain: true)

  package init(width: Int, color: Bool, isPlain: Bool) {
    self.width = max(width, Self.widthMin)
    self.color = color
    self.isPlain = isPlain
  }
}

/// The characters that tables are drawn with: Unicode, or ASCII for outputs that support nothing else.
struct Glyphs: Sendable {
  /// The sign between the bounds of an interval.
  var to: TerminalText
  /// The sign for an absent value.
  var none: TerminalText
  var arrow: TerminalText
  /// The separator between items of a line.
  var dot: TerminalText
  /// The mark at the end of truncated text.
  var ellipsis: TerminalText
  var rule: TerminalText
  /// One full column of a bar.
  var barFull: TerminalText
  /// The fractions of a column from one eighth to seven eighths, or empty if there are none.
  var barParts: [TerminalText]
  /// One column of the bar of an optional step.
  var barLight: TerminalText
  /// The bars of a sparkline, from the lowest to the highest.
  var sparks: [TerminalText]
  /// The mark of a bucket whose value is not final yet.
  var openBucket: TerminalText

  static let unicode = Glyphs(
    to: "–", none: "–", arrow: "→", dot: " · ", ellipsis: "…", rule: "─", barFull: "█",
    barParts: ["▏", "▎", "▍", "▌", "▋", "▊", "▉"], barLight: "░", sparks: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
    openBucket: "·")

  static let ascii = Glyphs(
    to: "-", none: "-", arrow: "->", dot: ", ", ellipsis: "~", rule: "-", barFull: "#", barParts: [], barLight: ":",
    sparks: ["_", ".", "-", "=", "*", "#"], openBucket: "?")

  /// Returns a one-column bar for each value, relative to the largest. An absent value is a blank.
  func sparkline(_ values: [Double?]) -> TerminalText {
    let largest = values.compactMap { $0 }.max() ?? 0
    return values.reduce("") { line, value in
      guard let value else { return line + " " }
      return line + sparks[largest > 0 ? Int((value / largest * Double(sparks.count - 1)).rounded()) : 0]
    }
  }

  /// Returns a bar that fills a share of a number of columns. A positive share has at least the smallest mark.
  func bar(_ share: Double, columns: Int, isLight: Bool) -> TerminalText {
    assert(!share.isNaN, "the length of a bar is a share")
    guard share > 0, columns > 0 else { return "" }
    let share = min(share, 1)
    if isLight || barParts.isEmpty {
      return (isLight ? barLight : barFull).repeated(max(1, Int((share * Double(columns)).rounded())))
    }
    let eighths = max(1, Int((share * Double(columns * 8)).rounded()))
    let full = barFull.repeated(eighths / 8)
    return eighths % 8 == 0 ? full : full + barParts[eighths % 8 - 1]
  }
}
