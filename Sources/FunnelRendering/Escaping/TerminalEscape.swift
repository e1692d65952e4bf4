import FunnelModel

/// Text for a terminal, without control characters, directional controls or other hidden characters.
package typealias TerminalText = Escaped<TerminalEscape>

/// Replaces hidden characters by visible text.
package enum TerminalEscape: EscapeRule {
  /// The maximum number of combining marks on one character. Natural scripts need at most three.
  private static let combiningMarksMax = 4

  package static func escape(_ text: String) -> String {
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

extension Unicode.Scalar {
  /// The scalar as visible text, for example `\u{202E}`.
  var visibleText: String { "\\u{" + String(value, radix: 16, uppercase: true) + "}" }

  /// Whether the scalar only selects the appearance of the preceding one.
  var isVariationSelector: Bool { properties.isVariationSelector }

  /// Whether the scalar is white space or hidden. Tab and line ends are excluded, because they can start a formula.
  var isBlankOrHidden: Bool { value != 9 && value != 10 && value != 13 && (isHidden || properties.isWhitespace) }

  /// Whether the scalar controls a device (C0 other than tab and line ends, DEL, C1) or the direction of text
  /// (UAX #9).
  var isControlOfDirectionOrDevice: Bool {
    switch value {
    case 9, 10, 13: false
    case 0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
    default: properties.generalCategory == .control
    }
  }
}
