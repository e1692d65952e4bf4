/// Parses files with one value per line.
package enum ValueList {
  /// Returns the non-blank lines of a text, without surrounding whitespace. A byte order mark is skipped.
  package static func lines(of text: String) -> [String] {
    let byteOrderMark: Unicode.Scalar = "\u{FEFF}"
    var scalars = text.unicodeScalars[...]
    if scalars.first == byteOrderMark { scalars = scalars.dropFirst() }
    return scalars.split(whereSeparator: { $0 == "\n" || $0 == "\r" }).map { String($0).withoutOuterBlanks }
      .filter { !$0.isEmpty }
  }
}

extension String {
  /// The text without leading and trailing spaces, tabs and line breaks.
  var withoutOuterBlanks: String {
    let isBlank: (Unicode.Scalar) -> Bool = { [" ", "\t", "\n", "\r"].contains($0) }
    guard let first = unicodeScalars.firstIndex(where: { !isBlank($0) }),
      let last = unicodeScalars.lastIndex(where: { !isBlank($0) })
    else { return "" }
    return String(unicodeScalars[first...last])
  }
}
