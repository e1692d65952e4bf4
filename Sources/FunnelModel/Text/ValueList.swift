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

  /// Returns the pairs of a list with two columns, and the number of lines that are no pair.
  ///
  /// The first comma divides a line, so only the first field needs quotes (RFC 4180) if it has commas. Blank lines, lines
  /// that begin with `#`, and a first line with the names of the columns are ignored.
  ///
  /// - Parameter header: The names of the columns, in lower case.
  package static func pairs(
    of text: String, header: (String, String)
  ) -> (pairs: [(first: String, second: String)], brokenLineCount: Int) {
    var lines = lines(of: text).filter { !$0.hasPrefix("#") }.map(pair)[...]
    if let names = lines.first ?? nil, (names.first.lowercased(), names.second.lowercased()) == header { lines.removeFirst() }
    let pairs = lines.compactMap(\.self)
    return (pairs, lines.count - pairs.count)
  }

  /// Returns the two fields of a line, or `nil` if one is missing or empty, or a quote is not closed.
  private static func pair(_ line: String) -> (first: String, second: String)? {
    guard let (first, rest) = firstField(of: line), let second = unquoted(rest.withoutOuterBlanks) else { return nil }
    return first.isEmpty || second.isEmpty ? nil : (first, second)
  }

  /// Returns the text before the first comma that is not in quotes, and the text after it, or `nil` if there is none.
  private static func firstField(of line: String) -> (field: String, rest: String)? {
    var isQuoted = false
    for index in line.indices {
      if line[index] == quote { isQuoted.toggle() }
      guard line[index] == ",", !isQuoted else { continue }
      let rest = String(line[line.index(after: index)...])
      return unquoted(String(line[..<index]).withoutOuterBlanks).map { ($0, rest) }
    }
    return nil
  }

  private static let quote: Character = "\""

  /// Returns a field without its quotes, or `nil` if they are not closed.
  private static func unquoted(_ field: String) -> String? {
    guard field.first == quote else { return field }
    let inner = field.dropFirst().dropLast()
    guard field.count > 1, field.last == quote, !inner.replacing("\"\"", with: "").contains(quote) else { return nil }
    return String(inner.replacing("\"\"", with: "\"")).withoutOuterBlanks
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
