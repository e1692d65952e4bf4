import FunnelReports
import GRDB

/// The tables of the database (`Documentation/DATABASE.md` describes them).
///
/// The tables of days have the columns that the reports have. A column that a newer program adds is added to an older database, and is null in
/// the rows from before.
enum DatabaseSchema {
  /// `fnnl`, by which SQLite's tools and `file` tell a database of this program.
  private static let applicationID = 0x666e_6e6c

  /// The columns of `runs` that tell numbers of the run, in their order.
  static let runCounts = [
    "files_done", "files_failed", "lines", "accepted", "duplicates", "rejected", "unclaimed", "events_in_store",
  ]

  /// Creates what is missing.
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

  /// The columns by which a row of a table is known besides its `as_of`.
  static func keyColumns(of table: DayTable) -> [String] {
    ["day", "app", "flow", "version"] + (table.part.map { [$0] } ?? [])
  }

  /// The name of the view of the newest rows of a table: `funnel_latest`.
  private static func latest(_ table: DayTable) -> String {
    table.name.replacingSuffix("_days", with: "_latest")
  }

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
    // Dashboards ask for one flow over many days.
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
    case .count, .integer: "INTEGER"
    case .real: "REAL"
    case .text: "TEXT"
    }
  }
}

extension String {
  fileprivate func replacingSuffix(_ suffix: String, with other: String) -> String {
    precondition(hasSuffix(suffix), "a table of days is named so")
    return dropLast(suffix.count) + other
  }
}
