/// The characters a table draws with: Unicode's, or plain ASCII for places that know no other.
struct Glyphs: Sendable {
  /// Between the ends of an interval.
  var to: TerminalText
  /// Where there is no value.
  var none: TerminalText
  var arrow: TerminalText
  /// Between items of a line.
  var dot: TerminalText
  /// Where a text was cut.
  var ellipsis: TerminalText
  var rule: TerminalText
  /// A bar's whole column, and its parts from one eighth up.
  var barFull: TerminalText
  var barParts: [TerminalText]
  /// A column of the bar of an optional step.
  var barLight: TerminalText

  static let unicode = Glyphs(
    to: "–", none: "–", arrow: "→", dot: " · ", ellipsis: "…", rule: "─", barFull: "█",
    barParts: ["▏", "▎", "▍", "▌", "▋", "▊", "▉"], barLight: "░")

  static let ascii = Glyphs(
    to: "-", none: "-", arrow: "->", dot: ", ", ellipsis: "~", rule: "-", barFull: "#", barParts: [], barLight: ":")

  /// A bar for a share of so many columns; what is more than nothing has at least the smallest mark.
  func bar(_ share: Double, columns: Int, isLight: Bool) -> TerminalText {
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
