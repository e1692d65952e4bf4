import ArgumentParser
import Crypto
import FunnelIngest
import FunnelMaintenance
import FunnelModel
import FunnelReports
import FunnelStore

#if FUNNEL_DATABASE
  import FunnelDatabase
#endif

/// The numbers of days as the database takes them.
struct DatabaseNumbers {
  let store: StoreReader
  let catalog: FlowCatalog
  let days: NightlyRunDays
  /// The number of days told, up to the last one.
  let dayCount: Int
  let threads: Int

  static let dayCountDefault = 35
  private static let dayCountMax = 3660

  /// Throws if a number of days can't be told.
  static func checkDays(_ count: Int) throws {
    guard 1...dayCountMax ~= count else { throw ValidationError("--days \(count): give 1 to \(dayCountMax)") }
  }

  /// The days told.
  var range: ClosedRange<CivilDate> { days.days(dayCount) }

  /// Returns the rows of each table of a report by day.
  func rows(of report: Report) -> [(table: DayTable, rows: [DayRow])] {
    DayTable.all.map { table in (table, table.rows(of: report).filter { range.contains($0.key.day) }) }
  }

  /// Returns what the store counted of the days whose events were dropped.
  func snapshots() throws(FunnelError) -> DaySnapshots {
    var snapshots = DaySnapshots()
    for member in try store.members(of: .snapshots) where range.contains(member.part.day) {
      for line in try store.read(member).split(separator: UInt8(ascii: "\n")) { snapshots.add(Array(line)) }
    }
    return snapshots
  }

  /// The hash of the definition of each flow version, by its reference.
  var definitions: [String: String] {
    Dictionary(
      catalog.files.map { ($0.definition.reference, Hexadecimal.text(of: Array(SHA256.hash(data: $0.bytes)))) },
      uniquingKeysWith: { $1 })
  }

  /// Throws unless this program can write a database.
  static func requireDatabase() throws(FunnelError) {
    #if !FUNNEL_DATABASE
      throw FunnelError(
        .configuration, "this program was built without SQLite, --database, build the complete program: make build")
    #endif
  }
}

#if FUNNEL_DATABASE
  extension DatabaseNumbers {
    /// Writes a night, and returns how many numbers it restated.
    func write(
      _ report: Report, to path: String, started: Timestamp, counts: KeyValuePairs<String, Int>, messages: String
    ) throws(FunnelError) -> Int {
      let database = try ReportDatabase(at: path)
      let night = NightlyRunRecord(
        asOf: days.now, days: range, commit: store.commits.count, clock: (started, ClockOption.clock()), counts: counts,
        messages: messages, definitions: definitions, rows: rows(of: report), dropped: try snapshots().flows)
      let changes = try database.changes(for: night)
      var causes: RestatementCauses?
      if !changes.restatements.isEmpty, let last = try database.lastNight(before: days.now) {
        let end = days.timeZone.midnight(of: CivilDate(daysSinceEpoch: last.days.upperBound.daysSinceEpoch + 1))
        causes = try RestatementCauses(
          since: .init(asOf: last.asOf, commit: last.commit, end: end, definitions: last.definitions), in: store,
          catalog: catalog,
          definitions: definitions, query: days.byDay, threads: threads)
      }
      try database.write(night, changes) { causes?.cause(of: $0.key) ?? .matured }
      return changes.restatements.count
    }

    /// Writes all numbers into a database that only exports write.
    func export(_ report: Report, to path: String, started: Timestamp) throws(FunnelError) {
      let snapshots = try snapshots()
      let rows = rows(of: report).map { table, rows in
        let known = Set(rows.map(\.key))
        return (table: table, rows: rows + snapshots.rows(of: table).filter { !known.contains($0.key) })
      }
      let night = NightlyRunRecord(
        asOf: days.now, days: range, commit: store.commits.count, clock: (started, ClockOption.clock()),
        counts: ["events_in_store": store.eventCount], messages: "[]", definitions: definitions, rows: rows, dropped: [])
      try ReportDatabase(at: path).replaceAll(by: night)
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

    func export(_ report: Report, to path: String, started: Timestamp) throws(FunnelError) {
      try Self.requireDatabase()
    }
  }
#endif
