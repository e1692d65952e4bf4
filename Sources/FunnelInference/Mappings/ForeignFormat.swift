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
    text = found?.text ?? "its lines are neither JSON nor a table"
    solution = found?.solution ?? "write the events as JSON or CSV, one record for each"
  }
}
