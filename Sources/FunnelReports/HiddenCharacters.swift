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
