import Crypto
import FunnelKit
import FunnelMaintenance
package import FunnelModel
package import FunnelReports
package import FunnelStore

#if FUNNEL_DATABASE
  import FunnelDatabase
#endif

/// Computes the rows of the report database (`funnel nightly --database`, `funnel export`) and writes them.
package struct DatabaseNumbers {
  let store: StoreReader
  let catalog: FlowCatalog
  let days: NightlyRunDays
  /// The number of days to write, up to the last one.
  let dayCount: Int
  let threads: Int

  package init(store: StoreReader, catalog: FlowCatalog, days: NightlyRunDays, dayCount: Int, threads: Int) {
    precondition(Self.dayCounts.contains(dayCount), "a database has at least one day")
    self.store = store
    self.catalog = catalog
    self.days = days
    self.dayCount = dayCount
    self.threads = threads
  }

  /// The default number of days.
  package static let dayCountDefault = 35
  /// The numbers of days that may be written: at most about ten years.
  package static let dayCounts = 1...3660

  /// The days to write.
  package var range: ClosedRange<CivilDate> { days.days(dayCount) }

  /// Returns the rows of each table from a report that is segmented by day.
  package func rows(of report: FunnelReports.Report) -> [(table: DayTable, rows: [DayRow])] {
    DayTable.all.map { table in (table, table.rows(of: report).filter { range.contains($0.key.day) }) }
  }

  /// Returns the snapshots of the days whose events were dropped.
  func snapshots() throws(FunnelError) -> DaySnapshots {
    var snapshots = DaySnapshots()
    for member in try store.members(of: .snapshots) where range.contains(member.logFile.day) {
      for line in try store.read(member).split(separator: UInt8(ascii: "\n")) { snapshots.add(Array(line)) }
    }
    return snapshots
  }

  /// The SHA-256 of the definition of each flow version, in hexadecimal, by reference.
  var definitions: [String: String] {
    Dictionary(
      catalog.files.map { ($0.definition.reference, Hexadecimal.text(of: Array(SHA256.hash(data: $0.bytes)))) },
      uniquingKeysWith: { $1 })
  }

  /// Throws `configuration` if this program was built without SQLite.
  package static func requireDatabase() throws(FunnelError) {
    #if !FUNNEL_DATABASE
      throw FunnelError(
        .configuration, "this program was built without SQLite, --database, build the complete program: make build")
    #endif
  }
}

#if FUNNEL_DATABASE
  extension DatabaseNumbers {
    /// Writes a nightly run. Returns the number of restatements.
    func write(
      _ report: Report, to path: String, started: Timestamp, counts: KeyValuePairs<String, Int>, messages: String
    ) throws(FunnelError) -> Int {
      let database = try ReportDatabase(at: path)
      let run = NightlyRunRecord(
        asOf: days.now, days: range, commit: store.commits.count, clock: (started, WallClock.now()), counts: counts,
        messages: messages, definitions: definitions, rows: rows(of: report), dropped: try snapshots().flows)
      let changes = try database.changes(for: run)
      var causes: RestatementCauses?
      if !changes.restatements.isEmpty, let last = try database.lastNight(before: days.now) {
        let end = days.timeZone.midnight(of: CivilDate(daysSinceEpoch: last.days.upperBound.daysSinceEpoch + 1))
        causes = try RestatementCauses(
          since: .init(asOf: last.asOf, commit: last.commit, end: end, definitions: last.definitions), in: store,
          catalog: catalog,
          definitions: definitions, query: days.byDay, threads: threads)
      }
      try database.write(run, changes) { causes?.cause(of: $0.key) ?? .matured }
      return changes.restatements.count
    }

    /// Replaces the contents of a database that only exports write.
    package func export(_ report: FunnelReports.Report, to path: String, started: Timestamp) throws(FunnelError) {
      let snapshots = try snapshots()
      let rows = rows(of: report).map { table, rows in
        let known = Set(rows.map(\.key))
        return (table: table, rows: rows + snapshots.rows(of: table).filter { !known.contains($0.key) })
      }
      let run = NightlyRunRecord(
        asOf: days.now, days: range, commit: store.commits.count, clock: (started, WallClock.now()),
        counts: ["events_in_store": store.eventCount], messages: "[]", definitions: definitions, rows: rows, dropped: [])
      try ReportDatabase(at: path).replaceAll(by: run)
    }
  }
#else
  extension DatabaseNumbers {
    func write(
      _ report: Report, to path: String, started: Timestamp, counts: KeyValuePairs<String, Int>, messages: String
    ) throws(FunnelError) -> Int {
      try Self.requireDatabase()
      return 0
    }

    package func export(_ report: FunnelReports.Report, to path: String, started: Timestamp) throws(FunnelError) {
      try Self.requireDatabase()
    }
  }
#endif
