extension String {
  /// The text as one line that is safe to print on a terminal: hidden characters become `\u{…}`.
  package var printable: String {
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

  /// The text for a message: printable, in double quotes, and cut if it has more than 80 code points.
  package var quoted: String {
    let head = unicodeScalars.prefix(Self.quotedScalarsMax)
    let isCut = head.endIndex < unicodeScalars.endIndex
    return "\"\(String(String.UnicodeScalarView(head)).printable)\(isCut ? "…" : "")\""
  }

  private static let quotedScalarsMax = 80
}

extension Unicode.Scalar {
  /// Whether the scalar is invisible but can affect the display of a text: controls, directional controls,
  /// zero-width and other default-ignorable characters, line separators, and noncharacters.
  ///
  /// The properties are those of the Unicode Character Database (UAX #44). Trojan Source (Boucher and Anderson,
  /// 2021) shows how directional controls alter text that people trust.
  package var isHidden: Bool {
    guard !(0x20..<0x7F).contains(value) else { return false }
    if properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint { return true }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: false
    }
  }
}

extension String {
  // The standard library's `init(validating:as:)` requires iOS 18 or macOS 15, and apps on iOS 16 link this module.
  /// Creates a string from bytes, or returns `nil` if they are not valid UTF-8.
  package init?(validUTF8 bytes: some Collection<UInt8>) {
    var text = String(decoding: bytes, as: UTF8.self)
    // Decoding replaces invalid sequences, so the result then has other bytes. Contiguous bytes are compared in
    // place: comparing them through the unspecialized collection took longer than the rest of parsing a JSON
    // document.
    let isValid = bytes.withContiguousStorageIfAvailable { bytes in text.withUTF8 { $0.elementsEqual(bytes) } }
    guard isValid ?? text.utf8.elementsEqual(bytes) else { return nil }
    self = text
  }
}
