/// A cell of a CSV file, quoted if necessary. A spreadsheet does not evaluate it as a formula.
package typealias CSVText = Escaped<CSVFormulaEscape>

/// Quotes cells by RFC 4180 and prefixes possible formulas with an apostrophe (OWASP, CSV injection).
///
/// Control characters other than tab and line ends, and directional controls, become visible text. All other
/// characters are kept as data.
package enum CSVFormulaEscape: EscapeRule {
  private static let formulaStarts: Set<Unicode.Scalar> = [
    "=", "+", "-", "@", "\t", "\r", "\n", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
  ]
  private static let quoted: Set<Unicode.Scalar> = [",", ";", "\"", "\n", "\r", "\t"]

  package static func escape(_ text: String) -> String {
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
