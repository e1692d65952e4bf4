extension Unicode.Scalar {
  /// Whether the scalar is invisible but can affect the display of a text: controls, directional controls,
  /// zero-width and other default-ignorable characters, line separators, and noncharacters.
  ///
  /// The properties are those of the Unicode Character Database (UAX #44). Trojan Source (Boucher and Anderson,
  /// 2021) shows how directional controls alter text that people trust.
  var isHidden: Bool {
    guard !(0x20..<0x7F).contains(value) else { return false }
    if properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint { return true }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: return true
    default: return false
    }
  }

  /// The scalar as visible text, for example `\u{202E}`.
  var visibleText: String { "\\u{" + String(value, radix: 16, uppercase: true) + "}" }
}

extension Unicode.Scalar {
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
