extension String {
  /// The text as one line that is safe to print on a terminal: hidden characters become `\u{…}`.
  var printable: String {
    guard unicodeScalars.contains(where: \.isHidden) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      if scalar.isHidden {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension Unicode.Scalar {
  /// Whether the scalar is invisible but can affect the display of a text: controls, directional controls,
  /// zero-width and other default-ignorable characters, line separators, and noncharacters (UAX #44).
  fileprivate var isHidden: Bool {
    guard !(0x20..<0x7F).contains(value) else { return false }
    if properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint { return true }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: return true
    default: return false
    }
  }
}
