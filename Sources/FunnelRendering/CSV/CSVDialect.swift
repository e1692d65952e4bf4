/// The variant of CSV to write.
package enum CSVDialect: Hashable, Sendable {
  /// Lines end with LF, as command-line tools expect.
  case plain
  /// The form for Excel: lines end with CRLF (RFC 4180), and the text begins with a byte order mark, without
  /// which Excel reads UTF-8 in the system's code page.
  case excel

  /// The text before the header.
  private var start: String { self == .excel ? "\u{FEFF}" : "" }
  /// The line terminator.
  private var lineEnd: String { self == .excel ? "\r\n" : "\n" }

  /// Returns the text of a file.
  ///
  /// - Parameter lines: The header, followed by lines with a cell for each of its columns.
  package func text(of lines: [[CSVText]]) -> String {
    precondition(lines.allSatisfy { $0.count == lines[0].count }, "each line has a cell for each column")
    return lines.reduce(into: start) { $0 += $1.joined(separator: ",").text + lineEnd }
  }
}
