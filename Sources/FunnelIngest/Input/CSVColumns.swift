import FunnelModel

/// The names of a CSV's columns.
enum CSVColumns {
  /// Returns the names in a header, without those of columns that have none.
  static func names(inHeader header: [UInt8]) -> [String] {
    guard let delimiter = CSVDelimiter.find(in: header, isWhole: true) else { return [] }
    let parser = CSVParser(delimiter: delimiter)
    // A line feed within quotes is part of a name, and each piece may have one at its end only.
    for line in (header + [Byte.lineFeed]).split(separator: Byte.lineFeed, omittingEmptySubsequences: false).dropLast() {
      (Array(line) + [Byte.lineFeed]).withUnsafeBytes { parser.feed($0) }
    }
    return parser.fieldEnds.indices.map { index in parser.withField(index) { String(decoding: $0, as: UTF8.self) } }
      .filter { !$0.isEmpty }
  }
}
