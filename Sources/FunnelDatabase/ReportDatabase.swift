package import FunnelModel
package import FunnelReports
import GRDB
import GRDBSQLite

/// The SQLite database of `funnel nightly` for dashboards: the numbers of each day, as each nightly run computed them.
///
///     let database = try ReportDatabase(at: "funnel.sqlite")
///     let changes = try database.changes(for: run)
///     try database.write(run, changes, causes: { … })
///
/// The database is in WAL mode: it can be read while it is written. A nightly run is written in one
/// transaction.
package final class ReportDatabase: Sendable {
  private let queue: DatabaseQueue
  private let path: String

  /// The time in seconds to wait for another process that writes.
  private static let busySeconds = 30.0

  /// Opens a database. Creates the file and any missing tables and columns.
  ///
  /// - Throws: `cannotCreate` if it cannot be created or is not a database, `locked` if another process keeps
  ///   it busy, `inputOutput` otherwise.
  package init(at path: String) throws(FunnelError) {
    var configuration = Configuration()
    configuration.label = "funnel"
    configuration.journalMode = .wal
    configuration.busyMode = .timeout(Self.busySeconds)
    configuration.prepareDatabase(Self.prepare)
    let prepared = configuration
    self.path = path
    queue = try Self.translating(path) {
      let queue = try DatabaseQueue(path: path, configuration: prepared)
      try DatabaseSchema.migrate(queue)
      return queue
    }
  }

  /// Configures a connection: synchronous writes, and WAL files that persist.
  private static func prepare(_ database: Database) throws {
    // A nightly run must survive a power failure.
    try database.execute(sql: "PRAGMA synchronous = FULL")
    // Other users of the machine read this database. If its `-wal` and `-shm` files are missing, a user with
    // read access only cannot open it. A user with write access to the folder would create them as its owner,
    // and later nightly runs could not write. The two files therefore persist, with an empty log.
    var isPersistent: CInt = 1
    let code = sqlite3_file_control(database.sqliteConnection, nil, SQLITE_FCNTL_PERSIST_WAL, &isPersistent)
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    try database.execute(sql: "PRAGMA journal_size_limit = 0")
  }

  /// Returns the last nightly run before a moment, or `nil` if there is none.
  package func lastNight(before moment: Timestamp) throws(FunnelError) -> RecordedNightlyRun? {
    try read { try DatabaseNightlyRuns(database: $0).last(before: moment) }
  }

  /// Returns the changes that writing a nightly run would make.
  package func changes(for run: NightlyRunRecord) throws(FunnelError) -> NightlyRunChanges {
    try read { try DatabaseNightlyRuns(database: $0).changes(for: run) }
  }

  /// Writes a nightly run in one transaction. Replaces an earlier run of the same moment.
  ///
  /// - Parameters:
  ///   - changes: The result of ``changes(for:)`` for the same run.
  ///   - causes: Returns the cause of a restated number.
  package func write(
    _ run: NightlyRunRecord, _ changes: NightlyRunChanges, causes: (Restatement) -> RestatementCause
  ) throws(FunnelError) {
    try Self.translating(path) {
      try withoutActuallyEscaping(causes) { causes in
        let reasons = changes.restatements.map(causes)
        try queue.write { try DatabaseNightlyRuns(database: $0).write(run, changes, causes: reasons) }
      }
    }
  }

  /// Replaces the rows of an earlier export by one run.
  ///
  /// - Throws: `cannotCreate` if nightly runs wrote the database. Their restatements could not be recomputed.
  package func replaceAll(by run: NightlyRunRecord) throws(FunnelError) {
    let nights = try read { try DatabaseNightlyRuns(database: $0).nightlyCount() }
    guard nights == 0 else {
      throw FunnelError(
        .cannotCreate,
        "\(path.printable) was written by \(nights) nightly run\(nights == 1 ? "" : "s"), whose restatements would be lost, give another file"
      )
    }
    try Self.translating(path) {
      try queue.write { database in
        let nights = DatabaseNightlyRuns(database: database)
        try nights.removeAll()
        let changes = NightlyRunChanges(rows: run.rows, restatements: [])
        try nights.write(run, changes, causes: [], status: DatabaseNightlyRuns.exported)
      }
    }
  }

  /// Runs a body that only reads, and translates its errors.
  private func read<Value>(_ body: (Database) throws -> Value) throws(FunnelError) -> Value {
    try Self.translating(path) { try queue.read(body) }
  }

  /// Runs a body and translates errors of SQLite to a `FunnelError` of one line.
  private static func translating<Value>(_ path: String, _ body: () throws -> Value) throws(FunnelError) -> Value {
    do {
      return try body()
    } catch let error as FunnelError {
      throw error
    } catch let error as DatabaseError {
      let reason = error.message ?? "\(error.resultCode)"
      switch error.resultCode {
      case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY, .SQLITE_AUTH:
        throw FunnelError(
          .cannotCreate, "can't write the database, \(path.printable): \(reason), check the folder and its permissions")
      case .SQLITE_NOTADB:
        throw FunnelError(.cannotCreate, "not a SQLite database, \(path.printable), give another file")
      case .SQLITE_BUSY, .SQLITE_LOCKED:
        throw FunnelError(
          .locked, "the database is busy, \(path.printable), waited \(Int(busySeconds)) s for another program, try again")
      default:
        throw FunnelError(
          .inputOutput, "can't use the database, \(path.printable): \(reason), check the disk, or give another file")
      }
    } catch {
      throw FunnelError(.inputOutput, "can't use the database, \(path.printable): \(error), give another file")
    }
  }
}
