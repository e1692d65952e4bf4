import FunnelModel
import FunnelReports
import GRDB

/// Reads and writes the nightly runs of a database. All methods run inside the caller's transaction.
struct DatabaseNightlyRuns {
  let database: Database

  /// The status of a run that `funnel nightly` wrote.
  private static let done = "done"
  /// The status of a run that an export wrote.
  static let exported = "export"

  /// Returns the last run before a moment, or `nil` if there is none or its row cannot be parsed.
  func last(before moment: Timestamp) throws -> RecordedNightlyRun? {
    let row = try Row.fetchOne(
      database, sql: "SELECT * FROM runs WHERE as_of < ? ORDER BY as_of DESC LIMIT 1", arguments: [moment.description])
    guard let row, let asOf = (row["as_of"] as String?).flatMap({ Timestamp(rfc3339: $0) }),
      let days = try Self.days(of: row)
    else { return nil }
    let definitions = try Row.fetchAll(
      database, sql: "SELECT flow_version, hash FROM definitions WHERE as_of = ?", arguments: [asOf.description])
    return RecordedNightlyRun(
      asOf: asOf, days: days, commit: row["commit"],
      definitions: Dictionary(definitions.map { ($0["flow_version"], $0["hash"]) }, uniquingKeysWith: { $1 }))
  }

  /// Returns the changes that writing a run would make.
  func changes(for run: NightlyRunRecord) throws -> NightlyRunChanges {
    let reported = try reportedDays(before: run.asOf)
    var changed: [(table: DayTable, rows: [DayRow])] = []
    var restatements: [Restatement] = []
    for (table, rows) in run.rows {
      let before = try latestRows(of: table, in: run.days, before: run.asOf).filter { !run.isDropped($0.key) }
      let changes = DayChanges(
        of: table, before: before, after: rows.filter { !run.isDropped($0.key) },
        wasReported: { key in reported.contains { $0.contains(key.day) } })
      changed.append((table, changes.rows))
      restatements += changes.restatements
    }
    return NightlyRunChanges(rows: changed, restatements: restatements)
  }

  /// Returns the number of runs that `funnel nightly` wrote, without exports.
  func nightlyCount() throws -> Int {
    try Int.fetchOne(database, sql: "SELECT count(*) FROM runs WHERE status <> ?", arguments: [Self.exported]) ?? 0
  }

  /// Removes all rows from all tables.
  func removeAll() throws {
    for table in DayTable.all.map(\.name) + ["restatements", "definitions", "runs"] {
      try database.execute(sql: "DELETE FROM \(table)")
    }
  }

  /// Writes a run. Replaces an earlier run of the same moment.
  ///
  /// - Parameters:
  ///   - changes: The result of ``changes(for:)`` for the same run.
  ///   - causes: The cause of each restatement in `changes`, in the same order.
  func write(
    _ run: NightlyRunRecord, _ changes: NightlyRunChanges, causes: [RestatementCause], status: String = done
  ) throws {
    precondition(causes.count == changes.restatements.count, "each restated number has a cause")
    let asOf = run.asOf.description
    for table in DayTable.all.map(\.name) + ["restatements", "definitions", "runs"] {
      try database.execute(sql: "DELETE FROM \(table) WHERE as_of = ?", arguments: [asOf])
    }
    try insertRun(run, status: status, restatements: changes.restatements.count)
    for (reference, hash) in run.definitions.sorted(by: { $0.key < $1.key }) {
      try database.execute(sql: "INSERT INTO definitions VALUES (?, ?, ?)", arguments: [asOf, reference, hash])
    }
    for (table, rows) in changes.rows { try insert(rows, into: table, asOf: asOf) }
    let statement = try database.makeStatement(sql: "INSERT INTO restatements VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
    for (change, cause) in zip(changes.restatements, causes) {
      let key = change.key
      try statement.execute(arguments: [
        asOf, key.day.description, key.app, key.flow, key.version, change.what, change.before, change.after, cause.rawValue,
      ])
    }
  }

  private func insertRun(_ run: NightlyRunRecord, status: String, restatements: Int) throws {
    let seconds = Double(run.clock.written.milliseconds - run.clock.started.milliseconds) / 1000
    var columns = [
      "as_of", "first_day", "last_day", "\"commit\"", "started_at", "finished_at", "duration_seconds", "status", "restatements",
      "messages",
    ]
    var values: [any DatabaseValueConvertible] = [
      run.asOf.description, run.days.lowerBound.description, run.days.upperBound.description, run.commit,
      run.clock.started.description, run.clock.written.description, seconds, status, restatements, run.messages,
    ]
    for (name, count) in run.counts {
      precondition(DatabaseSchema.runCounts.contains(name), "runs has no column \(name)")
      columns.append(name)
      values.append(count)
    }
    let placeholders = columns.map { _ in "?" }.joined(separator: ", ")
    try database.execute(
      sql: "INSERT INTO runs (\(columns.joined(separator: ", "))) VALUES (\(placeholders))",
      arguments: StatementArguments(values))
  }

  private func insert(_ rows: [DayRow], into table: DayTable, asOf: String) throws {
    let columns = ["as_of"] + DatabaseSchema.keyColumns(of: table) + table.columns.map(\.name)
    let placeholders = columns.map { _ in "?" }.joined(separator: ", ")
    let statement = try database.makeStatement(
      sql: "INSERT INTO \(table.name) (\(columns.joined(separator: ", "))) VALUES (\(placeholders))")
    for row in rows {
      let key = row.key
      var values: [DatabaseValue] = [
        asOf.databaseValue, key.day.description.databaseValue, key.app.databaseValue, key.flow.databaseValue,
        key.version.databaseValue,
      ]
      if table.part != nil { values.append((key.part ?? "").databaseValue) }
      try statement.execute(arguments: StatementArguments(values + row.values.map(\.databaseValue)))
    }
  }

  /// Returns the latest version of each row of a table before a moment, for a range of days.
  private func latestRows(
    of table: DayTable, in days: ClosedRange<CivilDate>, before moment: Timestamp
  ) throws -> [DayRow] {
    let keys = DatabaseSchema.keyColumns(of: table).joined(separator: ", ")
    // With max(), SQLite takes the bare columns from the row of the maximum:
    // https://sqlite.org/lang_select.html#bareagg
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT *, max(as_of) AS newest FROM \(table.name) WHERE day BETWEEN ? AND ? AND as_of < ? GROUP BY \(keys)
        """, arguments: [days.lowerBound.description, days.upperBound.description, moment.description])
    var result: [DayRow] = []
    while let row = try rows.next() {
      guard let day = CivilDate(row["day"] as String) else { continue }
      let part = table.part.map { row[$0] as String }
      result.append(
        DayRow(
          key: DayKey(day: day, app: row["app"], flow: row["flow"], version: row["version"], part: part),
          values: table.columns.map { Self.value(row[$0.name], of: $0) }))
    }
    return result
  }

  private static func value(_ value: DatabaseValue, of column: DayColumn) -> DayValue {
    switch value.storage {
    case .null, .blob: .null
    case .int64(let number): column.kind == .real ? .real(Double(number)) : .integer(Int(number))
    case .double(let number): .real(number)
    case .string(let text): .text(text)
    }
  }

  /// Returns the days that each run before a moment reported.
  private func reportedDays(before moment: Timestamp) throws -> [ClosedRange<CivilDate>] {
    try Row.fetchAll(database, sql: "SELECT first_day, last_day FROM runs WHERE as_of < ?", arguments: [moment.description])
      .compactMap(Self.days)
  }

  /// Returns the reported days of a row of `runs`, or `nil` if they cannot be parsed.
  private static func days(of row: Row) throws -> ClosedRange<CivilDate>? {
    guard let first = CivilDate(row["first_day"] as String), let last = CivilDate(row["last_day"] as String), first <= last
    else { return nil }
    return first...last
  }
}

extension NightlyRunRecord {
  /// Whether the events of a row were dropped, in which case the reported row is kept.
  fileprivate func isDropped(_ key: DayKey) -> Bool {
    var flow = key
    flow.part = nil
    return dropped.contains(flow)
  }
}

extension DayValue {
  fileprivate var databaseValue: DatabaseValue {
    switch self {
    case .integer(let number): number.databaseValue
    case .real(let number): number.databaseValue
    case .text(let text): text.databaseValue
    case .null: .null
    }
  }
}
