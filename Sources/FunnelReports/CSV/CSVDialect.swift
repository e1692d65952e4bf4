/// How a CSV file is written.
public enum CSVDialect: Hashable, Sendable {
  /// Lines end with LF, as the tools of the command line expect.
  case plain
  /// For Excel: a byte order mark in front, without which it takes UTF-8 for a code page of its own, and lines that end with CRLF (RFC 4180).
  case excel

  var start: String { self == .excel ? "\u{FEFF}" : "" }
  var lineEnd: String { self == .excel ? "\r\n" : "\n" }
}
