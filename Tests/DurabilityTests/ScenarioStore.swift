import FunnelDecoding
import FunnelIngest
import FunnelSequences
import FunnelIndex
import FunnelRendering
import FunnelStore
import FunnelMaintenance
import FunnelModel
import FunnelProjections
import FunnelReports
import FunnelSchemas
import FunnelSystem
import FunnelTestSupport

/// A store in a test's folder, on any disk, with the operations of the commands.
struct ScenarioStore {
  /// The folder that contains the store.
  let folder: String
  var disk: any FileSystem = LocalFileSystem()
  /// The target for a member's uncompressed size. It is small, so that a few events make many members.
  var memberRawBytesTarget = 600

  static let now = Timestamp(rfc3339: "2026-11-21T12:00:00Z")!
  static let catalog: FlowCatalog = {
    guard let catalog = try? FlowCatalog(layers: [BuiltInSchemas.flowFiles]) else {
      preconditionFailure("the flows are broken")
    }
    return catalog
  }()

  /// The store's own folder.
  var path: String { folder + "/store" }

  /// Opens the store for writing, with small members and parts, so that a few events make many of both.
  func writer() throws(FunnelError) -> StoreWriter {
    var options = StoreWriter.Options()
    options.memberRawBytesTarget = memberRawBytesTarget
    options.logFileBytesTarget = 900
    return try StoreWriter.open(path, lockTimeout: lockPatience, options: options, fileSystem: disk)
  }

  func reader() throws(FunnelError) -> StoreReader { try StoreReader.open(path) }

  /// Ingests an input, as `funnel ingest` does.
  func ingest(_ input: ScenarioInput, commitRawBytesTarget: Int = 1 << 20) throws {
    let writer = try writer()
    let options = Ingestor.Options(
      decoding: DecodingOptions(now: Self.now, privacy: BuiltInSchemas.privacy), commitRawBytesTarget: commitRawBytesTarget)
    _ = try Ingestor(into: writer, catalog: Self.catalog, options: options)
      .ingest(input.files(), knownBy: IndexedEvents(into: writer, threads: 1), progress: { _ in })
  }

  /// Ingests the dead letters again, as `funnel rejected retry` does, with a default app for those that name none.
  func retry(commitRawBytesTarget: Int = 1 << 20) throws {
    let decoding = DecodingOptions(now: Self.now, privacy: BuiltInSchemas.privacy, defaultApp: "cleaner")
    let writer = try writer()
    _ = try DeadLetterRetry.run(
      on: writer, catalog: Self.catalog,
      options: .init(decoding: decoding, commitRawBytesTarget: commitRawBytesTarget),
      knownBy: IndexedEvents(into: writer, threads: 1))
  }

  /// Erases subjects or persons, as `funnel forget` does.
  func forget(_ subjects: [String], asPersons: Bool = false) throws {
    let writer = try writer()
    let erasure =
      try asPersons
      ? Erasure(ofPersons: subjects, key: nil, in: writer.reader, threads: 1) : Erasure(of: subjects, key: nil)
    let plan = try erasure.plan(in: writer.reader, at: Self.now, threads: 1)
    _ = try erasure.apply(plan, on: writer, at: Self.now, threads: 1)
  }

  /// Compacts the log, as `funnel log compact` does.
  func compact() throws {
    let writer = try writer()
    IndexedEvents(into: writer, threads: 1).finish()
    _ = try StoreCompaction.run(on: writer, before: Self.now.day, at: Self.now, checker: StoredRecordChecker())
  }

  /// Undoes the ingest of a commit, as `funnel log undo` does. One that is undone already is left as it is, as a command that is
  /// run again says so and changes nothing.
  func undo(_ commit: Int) throws {
    let writer = try writer()
    do {
      let undo = try IngestUndo(of: .commit(commit), in: writer.reader)
      _ = try undo.apply(undo.plan(in: writer.reader), on: writer, at: Self.now, threads: 1)
    } catch let error where error.code == .noInput {
      IndexedEvents(into: writer, threads: 1).finish()
    }
  }

  /// Drops events from before a day: all of them, or those of some flows.
  func retain(from day: CivilDate, ofFlows flows: [Int]? = nil) throws {
    var cut = RetentionCut()
    if let flows {
      for flow in flows { cut.eventsOfFlows[flow] = day.midnight }
    } else {
      cut.events = [.init(.init(from: day.midnight))]
    }
    try retain(by: cut)
  }

  /// Runs a retention by a cut, as `funnel retain` does.
  func retain(by cut: RetentionCut) throws {
    let writer = try writer()
    let retention = Retention(cut, catalog: Self.catalog)
    let plan = try retention.plan(in: writer.reader, threads: 1)
    var snapshots: [CivilDate: RecordBatch] = [:]
    for day in plan.days { snapshots[day, default: RecordBatch()].append("{}".utf8, timestamp: day.midnight) }
    _ = try retention.apply(plan, snapshots: snapshots, on: writer, at: Self.now, threads: 1)
  }

  /// Repairs the store, as `funnel log repair` does.
  func repair() throws {
    let summary = try StoreRepair.run(
      path, checker: StoredRecordChecker(), at: Self.now, lockTimeout: lockPatience, fileSystem: disk)
    if !summary.isEmpty { IndexedEvents(into: try writer(), threads: 1).finish() }
  }

  /// Returns the lines of an area as readers see them, in their order.
  func lines(_ area: LogFileName.Area = .log) throws -> [String] {
    let reader = try reader()
    return try reader.members(of: area).flatMap { member in
      String(decoding: try reader.read(member), as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  /// Returns all reports as JSON, as `funnel report` prints them.
  func report() throws -> String {
    let (query, flows) = (Self.query, Set(Self.catalog.definitions.indices))
    return try IndexOrLog.withSequences(
      of: reader(), catalog: Self.catalog, query: query, flows: flows, threads: 1
    ) { (source) throws(FunnelError) in try Self.render(source, query, flows) }.result
  }

  /// Returns all reports as JSON, computed from the log without the index.
  func reportOfLog(now: Timestamp = now) throws -> String {
    var query = Self.query
    query.now = now
    let (asked, flows) = (query, Set(Self.catalog.definitions.indices))
    return try SequenceTable.withSequences(
      of: .store(reader(), threads: 1), catalog: Self.catalog, query: asked, flows: flows, progress: { _ in }
    ) { (table) throws(FunnelError) in try Self.render(table, asked, flows) }.0
  }

  private static let query: ReportQuery = {
    var query = ReportQuery(now: now)
    query.by = [.context("variant")]
    return query
  }()

  private static func render(
    _ source: some SequenceSource, _ query: ReportQuery, _ flows: Set<Int>
  ) throws(FunnelError) -> String {
    let report = try Report(
      of: source, catalog: catalog, flows: flows, query: query, selection: .standard, threads: 1)
    return try ReportRenderer.render(report, as: .json)
  }
}

/// A file of lines to ingest.
final class ScenarioInput: Sendable {
  private let folder: TemporaryFolder
  let lines: [String]

  init(_ lines: [String]) throws {
    self.lines = lines
    folder = try TemporaryFolder()
    try folder.write(Array(lines.joined(separator: "\n").utf8), to: "events.ndjson")
  }

  /// Creates an input of `count` random lines.
  convenience init(_ count: Int, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    try self.init(RandomEvents.lines(count, using: &random))
  }

  func files() throws -> [InputFile] { try InputFile.files(at: [folder.path("events.ndjson")]) }
}
