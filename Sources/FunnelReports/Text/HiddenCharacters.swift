extension Unicode.Scalar {
  /// Whether the scalar changes what a reader sees without being seen itself: controls, directional controls, zero-width and other
  /// default-ignorable characters, line separators, and what is no character at all.
  ///
  /// The properties are those of the Unicode Character Database (UAX #44); Trojan Source (Boucher and Anderson, 2021) shows what
  /// directional controls do to a text that people trust.
  var isHidden: Bool {
    guard !(0x20..<0x7F).contains(value) else { return false }
    if properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint { return true }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: return true
    default: return false
    }
  }

  /// The scalar as text that can be seen: `\u{202E}`.
  var visibleText: String { "\\u{" + String(value, radix: 16, uppercase: true) + "}" }
}

extension Unicode.Scalar {
  /// Whether the scalar only chooses between two looks of the one before.
  var isVariationSelector: Bool { properties.isVariationSelector }

  /// Whether a reader sees nothing there.
  var isBlankOrHidden: Bool { value != 9 && value != 10 && value != 13 && (isHidden || properties.isWhitespace) }

  /// Whether the scalar drives a device (C0 but tab and line ends, DEL, C1) or the direction of text (UAX #9).
  var isControlOfDirectionOrDevice: Bool {
    switch value {
    case 9, 10, 13: false
    case 0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
    default: properties.generalCategory == .control
    }
  }
}
