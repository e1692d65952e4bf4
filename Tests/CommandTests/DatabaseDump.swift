import Foundation

/// Reads a SQLite database with Python's own library, so that what is compared was not read by the code under test.
struct DatabaseDump {
  let path: String

  private static let script = """
    import json, sqlite3, sys
    database = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
    database.row_factory = sqlite3.Row
    print(json.dumps([dict(row) for row in database.execute(sys.argv[2])]))
    """

  /// Returns the rows of a query, each by column.
  func rows(_ sql: String) throws -> [[String: Any]] {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", Self.script, path, sql]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return try JSONSerialization.jsonObject(with: data) as? [[String: Any]] ?? []
  }

  /// Returns the rows of a query as sorted texts, for comparisons.
  func texts(_ sql: String) throws -> [String] {
    try rows(sql).map { row in
      String(decoding: try JSONSerialization.data(withJSONObject: row, options: [.sortedKeys]), as: UTF8.self)
    }.sorted()
  }

  /// The tables of days with the columns that tell what a row is about.
  static let tables = ["funnel_days": "", "step_days": "step", "permission_days": "permission", "dropoff_days": "step"]

  /// Returns all rows but those that tell of runs, with or without the causes.
  func contents(withCauses: Bool = true) throws -> [String] {
    var all: [String] = []
    for table in Self.tables.keys.sorted() + ["definitions"] {
      all += try texts("SELECT * FROM \(table)").map { "\(table) \($0)" }
    }
    let cause = withCauses ? ", cause" : ""
    all += try texts("SELECT as_of, day, app, flow, version, what, before, after\(cause) FROM restatements").map {
      "restatements \($0)"
    }
    return all + (try texts("SELECT as_of, first_day, last_day, events_in_store, restatements FROM runs"))
  }
}
