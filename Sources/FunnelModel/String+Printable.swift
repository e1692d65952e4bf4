extension String {
  /// The text as one line that is safe to print on a terminal: control, format, line-breaking and invisible
  /// characters become `\u{…}`.
  public var printable: String {
    guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      if scalar.isUnprintable {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The text for a message: printable, in double quotes, and cut if it has more than 80 code points.
  public var quoted: String {
    let head = unicodeScalars.prefix(Self.quotedScalarsMax)
    let isCut = head.endIndex < unicodeScalars.endIndex
    return "\"\(String(String.UnicodeScalarView(head)).printable)\(isCut ? "…" : "")\""
  }

  private static let quotedScalarsMax = 80
}

extension Unicode.Scalar {
  fileprivate var isUnprintable: Bool {
    guard !(0x20..<0x7F).contains(value) else { return false }
    if properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint { return true }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: false
    }
  }
}
