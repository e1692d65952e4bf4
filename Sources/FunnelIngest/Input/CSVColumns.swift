import FunnelModel

/// Parses the header of CSV.
enum CSVColumns {
  /// Returns the names of the columns in a header. Columns without a name are skipped.
  static func names(inHeader header: [UInt8]) -> [String] {
    guard let delimiter = CSVDelimiter.find(in: header, isWhole: true) else { return [] }
    let parser = CSVParser(delimiter: delimiter)
    // A quoted name may contain a line feed, but the parser accepts line feeds only at the end of the fed bytes.
    for line in (header + [Byte.lineFeed]).split(separator: Byte.lineFeed, omittingEmptySubsequences: false).dropLast() {
      (Array(line) + [Byte.lineFeed]).withUnsafeBytes { parser.feed($0) }
    }
    return parser.fieldEnds.indices.map { index in parser.withField(index) { String(decoding: $0, as: UTF8.self) } }
      .filter { !$0.isEmpty }
  }
}
