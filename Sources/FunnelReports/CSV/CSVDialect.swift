/// The variant of CSV to write.
public enum CSVDialect: Hashable, Sendable {
  /// Lines end with LF, as command-line tools expect.
  case plain
  /// The form for Excel: lines end with CRLF (RFC 4180), and the text begins with a byte order mark, without
  /// which Excel reads UTF-8 in the system's code page.
  case excel

  /// The text before the header.
  var start: String { self == .excel ? "\u{FEFF}" : "" }
  /// The line terminator.
  var lineEnd: String { self == .excel ? "\r\n" : "\n" }
}
