/// HTML source. Interpolated values are escaped for use in an element or in a quoted attribute.
package typealias HTMLText = Escaped<HTMLEscape>

/// Escapes the characters with a meaning in HTML text and in quoted attributes (HTML Standard, 13.1.2 and
/// 13.2.5).
///
/// Control characters are invalid in HTML and become U+FFFD. All other characters are unchanged, including
/// those that control the direction of text: their effect ends with the element.
package enum HTMLEscape: EscapeRule {
  package static func escape(_ text: String) -> String {
    guard !text.utf8.allSatisfy({ isPlain($0) }) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar)
      }
    }
    return result
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): false
    default: (0x20..<0x7F).contains(byte)
    }
  }
}
