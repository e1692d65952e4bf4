/// Text of an HTML page, in an element or in a quoted attribute. It starts no markup, style or script.
typealias HTMLText = Escaped<HTMLEscape>

/// Escapes the characters that HTML gives a meaning in texts and in quoted attributes (HTML Standard, 13.1.2 and 13.2.5).
///
/// Control characters, which no page may have, become the replacement character; all others stay as they are. What they do to the
/// direction of text ends with the element they are in.
enum HTMLEscape: EscapeRule {
  static func escape(_ text: String) -> String {
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

extension Escaped where Rule == HTMLEscape {
  /// The text without its tags, as long as it is shown.
  var visibleText: String {
    var isTag = false
    return String(
      text.filter { character in
        if character == "<" { isTag = true }
        defer { if character == ">" { isTag = false } }
        return !isTag
      })
  }

  /// A text whose direction of writing does not reach beyond it.
  static func isolated(_ text: String) -> HTMLText {
    text.unicodeScalars.contains(where: \.isControlOfDirectionOrDevice) ? "<bdi>\(text)</bdi>" : "\(text)"
  }
}
