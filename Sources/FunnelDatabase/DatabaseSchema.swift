import FunnelReports
import GRDB

/// The tables of the report database and their migrations (see `Documentation/DATABASE.md`).
///
/// Each table of days has the columns of its report. A column that a newer version of the program adds is also
/// added to an existing database, where it is null in older rows.
enum DatabaseSchema {
  /// The SQLite application ID, `fnnl`. Tools such as `file` identify the database by it.
  private static let applicationID = 0x666e_6e6c

  /// The columns of `runs` that hold counts of the run, in order.
  static let runCounts = [
    "files_done", "files_failed", "lines", "accepted", "duplicates", "rejected", "unclaimed", "events_in_store",
  ]

  /// Creates missing tables and adds missing columns.
  static func migrate(_ database: DatabaseQueue) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("runs, days and restatements") { database in
      try database.execute(sql: "PRAGMA application_id = \(applicationID)")
      let counts = runCounts.map { "\($0) INTEGER" }.joined(separator: ", ")
      try database.execute(
        sql: """
          CREATE TABLE runs (
            as_of TEXT NOT NULL PRIMARY KEY, first_day TEXT NOT NULL, last_day TEXT NOT NULL, "commit" INTEGER NOT NULL,
            started_at TEXT NOT NULL, finished_at TEXT NOT NULL, duration_seconds REAL NOT NULL, status TEXT NOT NULL,
            \(counts), restatements INTEGER NOT NULL, messages TEXT NOT NULL
          )
          """)
      try database.execute(
        sql: """
          CREATE TABLE definitions (
            as_of TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, flow_version TEXT NOT NULL, hash TEXT NOT NULL,
            PRIMARY KEY (as_of, flow_version)
          ) WITHOUT ROWID
          """)
      try database.execute(
        sql: """
          CREATE TABLE restatements (
            as_of TEXT NOT NULL, day TEXT NOT NULL, app TEXT NOT NULL, flow TEXT NOT NULL, version INTEGER NOT NULL,
            what TEXT NOT NULL, before INTEGER NOT NULL, after INTEGER NOT NULL, cause TEXT NOT NULL,
            PRIMARY KEY (as_of, day, app, flow, version, what)
          )
          """)
      for table in DayTable.all { try create(table, in: database) }
    }
    try migrator.migrate(database)
    try database.write { database in
      for table in DayTable.all { try addMissingColumns(of: table, to: database) }
    }
  }

  /// Returns the columns that identify a row of a table together with `as_of`.
  static func keyColumns(of table: DayTable) -> [String] {
    ["day", "app", "flow", "version"] + (table.part.map { [$0] } ?? [])
  }

  /// Returns the name of the view of a table's latest rows, for example `funnel_latest` for `funnel_days`.
  private static func latest(_ table: DayTable) -> String {
    table.name.replacingSuffix("_days", with: "_latest")
  }

  /// Creates a table of days with its index and the view of its latest rows.
  private static func create(_ table: DayTable, in database: Database) throws {
    var columns = [
      "day TEXT NOT NULL", "as_of TEXT NOT NULL", "app TEXT NOT NULL", "flow TEXT NOT NULL", "version INTEGER NOT NULL",
    ]
    if let part = table.part { columns.append("\(part) TEXT NOT NULL") }
    columns += table.columns.map { "\($0.name) \(type(of: $0))" }
    let keys = keyColumns(of: table)
    try database.execute(
      sql:
        "CREATE TABLE \(table.name) (\(columns.joined(separator: ", ")), PRIMARY KEY (\(keys.joined(separator: ", ")), as_of))")
    // Dashboards query one flow over many days.
    try database.execute(
      sql: "CREATE INDEX \(table.name)_by_flow ON \(table.name) (app, flow, version, day, as_of)")
    let same = keys.map { "newer.\($0) = \(table.name).\($0)" }.joined(separator: " AND ")
    try database.execute(
      sql: """
        CREATE VIEW \(latest(table)) AS SELECT * FROM \(table.name)
        WHERE as_of = (SELECT max(newer.as_of) FROM \(table.name) AS newer WHERE \(same))
        """)
  }

  private static func addMissingColumns(of table: DayTable, to database: Database) throws {
    let known = Set(try database.columns(in: table.name).map(\.name))
    for column in table.columns where !known.contains(column.name) {
      try database.execute(sql: "ALTER TABLE \(table.name) ADD COLUMN \(column.name) \(type(of: column))")
    }
  }

  private static func type(of column: DayColumn) -> String {
    switch column.kind {
    case .count, .integer, .quantile: "INTEGER"
    case .real: "REAL"
    case .text: "TEXT"
    }
  }
}

extension String {
  /// Returns the string with its suffix replaced. The string must end in the suffix.
  fileprivate func replacingSuffix(_ suffix: String, with other: String) -> String {
    precondition(hasSuffix(suffix), "a table of days is named so")
    return dropLast(suffix.count) + other
  }
}
