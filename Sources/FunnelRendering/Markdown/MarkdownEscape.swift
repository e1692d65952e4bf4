/// Text for GitHub Flavored Markdown. It renders as the same characters and starts no markup, link, mention or
/// table cell.
typealias MarkdownText = Escaped<MarkdownEscape>

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
