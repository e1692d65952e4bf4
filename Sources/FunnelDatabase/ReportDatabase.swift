public import FunnelModel
public import FunnelReports
import GRDB
import GRDBSQLite

/// The database that `funnel nightly` fills: the numbers of each day as each night found them, for dashboards.
///
///     let database = try ReportDatabase(at: "funnel.sqlite")
///     let changes = try database.changes(for: night)
///     try database.write(night, changes, causes: { … })
///
/// It is in WAL mode, so that it can be read while it is written. A night is one transaction: it is in the database as a whole or not at all.
public final class ReportDatabase: Sendable {
  private let queue: DatabaseQueue
  private let path: String

  /// Seconds to wait for another program that writes.
  private static let busySeconds = 30.0

  /// Opens a database, and creates it or the tables it lacks.
  ///
  /// - Throws: `cannotCreate` if it can't be created or is no database; `locked` if another program keeps it busy; `inputOutput` otherwise.
  public init(at path: String) throws(FunnelError) {
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

  /// Prepares a connection to a database that other users of the machine read.
  private static func prepare(_ database: Database) throws {
    // A night is not to be lost when the power fails.
    try database.execute(sql: "PRAGMA synchronous = FULL")
    // Without its two files beside it a database in WAL mode can't be opened by a user who may only read it, and a user who may write to the
    // folder would create them as their own, after which no night could write. So they stay, the log of writes empty.
    var isPersistent: CInt = 1
    let code = sqlite3_file_control(database.sqliteConnection, nil, SQLITE_FCNTL_PERSIST_WAL, &isPersistent)
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    try database.execute(sql: "PRAGMA journal_size_limit = 0")
  }

  /// Returns the last night before a moment, or nil if there is none.
  public func lastNight(before moment: Timestamp) throws(FunnelError) -> RecordedNightlyRun? {
    try read { try DatabaseNightlyRuns(database: $0).last(before: moment) }
  }

  /// Returns what a night would change.
  public func changes(for night: NightlyRunRecord) throws(FunnelError) -> NightlyRunChanges {
    try read { try DatabaseNightlyRuns(database: $0).changes(for: night) }
  }

  /// Writes a night in one transaction, in place of an earlier one of the same moment.
  ///
  /// - Parameters:
  ///   - changes: What ``changes(for:)`` returned.
  ///   - causes: Why each restated number changed.
  public func write(
    _ night: NightlyRunRecord, _ changes: NightlyRunChanges, causes: (Restatement) -> RestatementCause
  ) throws(FunnelError) {
    try Self.translating(path) {
      try withoutActuallyEscaping(causes) { causes in
        let reasons = changes.restatements.map(causes)
        try queue.write { try DatabaseNightlyRuns(database: $0).write(night, changes, causes: reasons) }
      }
    }
  }

  /// Replaces all that an earlier export wrote by one night.
  ///
  /// - Throws: `cannotCreate` if nightly runs wrote the database, whose restatements can't be made again.
  public func replaceAll(by night: NightlyRunRecord) throws(FunnelError) {
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
        let changes = NightlyRunChanges(rows: night.rows, restatements: [])
        try nights.write(night, changes, causes: [], status: DatabaseNightlyRuns.exported)
      }
    }
  }

  private func read<Value>(_ body: (Database) throws -> Value) throws(FunnelError) -> Value {
    try Self.translating(path) { try queue.read(body) }
  }

  /// Runs a body, and turns what SQLite says into an error of one line.
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
