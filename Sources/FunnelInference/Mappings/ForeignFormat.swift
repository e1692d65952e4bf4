import FunnelModel

/// What an input is that has no records to read, by its first bytes, and how it becomes one that has.
struct ForeignFormat {
  /// The format as a clause.
  let text: String
  let solution: String

  /// The number of first bytes that are examined.
  private static let examinedBytesMax = 4096

  /// The formats with the texts at their beginnings.
  private static let known: [(beginnings: [String], text: String, solution: String)] = [
    (["PAR1"], "it is a Parquet file", "turn it into NDJSON, with DuckDB: COPY (FROM 'a.parquet') TO 'a.ndjson'"),
    (["SQLite format 3"], "it is a SQLite database", "export the table with the events as CSV"),
    (["Obj\u{1}"], "it is an Avro file", "turn it into NDJSON"),
    (["<?xml", "<log", "<"], "it is XML", "turn it into CSV or JSON, one record for each event"),
    (["["], "its records are arrays", "write each of them as an object, whose keys are the names of the columns"),
    (
      ["insert into", "create table", "--", "/*", "set ", "begin", "copy "], "it is SQL",
      "export the table with the events as CSV"
    ),
  ]

  /// Recognizes a format.
  ///
  /// - Parameter bytes: Lines that are not objects.
  init?(of bytes: UnsafeRawBufferPointer) {
    let beginning = String(decoding: bytes.prefix(Self.examinedBytesMax), as: UTF8.self)
    let trimmed = beginning.drop { $0.isWhitespace }.lowercased()
    // An object around an array of arrays is the form of pandas' `to_json(orient="split")`.
    let isTable = trimmed.hasPrefix("{") && trimmed.filter { !$0.isWhitespace }.contains("\"data\":[[")
    guard !trimmed.isEmpty, !trimmed.hasPrefix("{") || isTable else { return nil }
    let start = isTable ? "[" : trimmed
    let found = Self.known.first { $0.beginnings.contains { start.hasPrefix($0.lowercased()) } }
    if found == nil, Self.hasTabs(beginning) {
      text = "its lines look like those of a table with tabs, but its name does not end in .tsv"
      solution = "name its columns with --header, or rename it if its first line names them"
      return
    }
    text = found?.text ?? "its lines are neither JSON nor a table"
    solution = found?.solution ?? "write the events as JSON or CSV, one record for each"
  }

  /// Returns whether whole lines at the beginning of a text have the same number of tabs, at least two.
  private static func hasTabs(_ beginning: String) -> Bool {
    let lines = beginning.split(whereSeparator: \.isNewline)
    // The last line may be cut.
    let counts = Set((lines.count > 1 ? lines.dropLast() : lines[...]).map { line in line.count { $0 == "\t" } })
    return counts.count == 1 && counts.allSatisfy { $0 >= tabsMin }
  }

  /// The number of tabs between the person, the time and the name of an event.
  private static let tabsMin = 2
}
