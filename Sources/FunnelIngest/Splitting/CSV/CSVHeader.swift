import FunnelDecoding
import FunnelModel

/// The header of CSV: the first record, which names the columns.
struct CSVHeader {
  /// The header as it is in the input, without its line break.
  let text: [UInt8]
  /// The key of each column as JSON with a colon, such as `"user_id":`, or `nil` for a column without a name,
  /// which is ignored.
  let keys: [[UInt8]?]
  /// The rejection of all records, or `nil` if the header is valid.
  let problem: Rejection?

  /// Creates the header from the complete record of a parser.
  ///
  /// - Parameter text: The record as it is in the input.
  init(_ parser: CSVParser, text: Span<UInt8>) {
    self.text = text.copy
    var keys: [[UInt8]?] = []
    var names: Set<[UInt8]> = []
    var problem: Rejection?
    for index in parser.fieldEnds.indices {
      let name = parser.withField(index) { $0.copy }
      keys.append(name.isEmpty ? nil : Self.key(name))
      if name.count > Limits.columnNameBytesMax {
        problem = problem ?? Self.tooLong(index)
      } else if !name.isEmpty, !names.insert(name).inserted {
        let shown = String(decoding: name, as: UTF8.self).cutForMessage(100)
        problem = problem ?? Rejection(.invalidField, "two columns of the header are named \(shown)")
      }
    }
    if !text.isUTF8 { problem = Rejection(.invalidUTF8, "the header is not UTF-8") }
    self.keys = keys
    self.problem = problem
  }

  /// Creates the header of a table without one, of which a mapping names the columns.
  init(names: [String], delimiter: UInt8) {
    let cells = names.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }
    let text = Array(cells.joined(separator: String(UnicodeScalar(delimiter))).utf8)
    let parser = CSVParser(delimiter: delimiter)
    let fed = text + [Byte.lineFeed]
    parser.feed(fed.span)
    self.init(parser, text: text.span)
  }

  /// The header of a text whose first record is too long.
  static let unreadable = CSVHeader(problem: Rejection(.invalidField, "the header is longer than \(Limits.lineBytesMax) bytes"))

  private init(problem: Rejection) {
    text = []
    keys = []
    self.problem = problem
  }

  /// Returns a name as a JSON string with a colon.
  private static func key(_ name: [UInt8]) -> [UInt8] {
    var key: [UInt8] = []
    key.appendJSONString(copying: name.span)
    return key + [Byte.colon]
  }

  private static func tooLong(_ index: Int) -> Rejection {
    Rejection(.invalidField, "the name of column \(index + 1) is longer than \(Limits.columnNameBytesMax) bytes")
  }
}

extension RecordOrigins {
  /// The names of the columns of CSV. Empty for JSON.
  package var columns: [String] { header.map(CSVHeader.columns(in:)) ?? [] }
}

extension CSVHeader {
  /// Returns the names of the columns in a header. Columns without a name are skipped.
  fileprivate static func columns(in header: [UInt8]) -> [String] {
    guard let delimiter = CSVDelimiter.find(in: header.span, isWhole: true) else { return [] }
    let parser = CSVParser(delimiter: delimiter)
    // A quoted name may contain a line feed, but the parser accepts line feeds only at the end of the fed bytes.
    for line in (header + [Byte.lineFeed]).split(separator: Byte.lineFeed, omittingEmptySubsequences: false).dropLast() {
      let fed = Array(line) + [Byte.lineFeed]
      parser.feed(fed.span)
    }
    let names = parser.fieldEnds.indices.map { index in parser.withField(index) { String(decoding: $0.copy, as: UTF8.self) } }
    return names.filter { !$0.isEmpty }
  }
}
