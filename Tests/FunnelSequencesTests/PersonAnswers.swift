import FunnelDecoding
import FunnelIndex
import FunnelIngest
import FunnelModel
import FunnelProjections
import FunnelReports
import FunnelSchemas
import FunnelSequences
import FunnelTestSupport
import Testing

/// The rows of the reports of a source, its sequences, and its groups that completed.
struct PersonAnswers: Equatable {
  var funnel: [FunnelRow]
  var grants: [GrantRow]
  var dropoff: [DropoffRow]
  var histories: [String]
  var groups: [[ListedGroup]]

  init(_ source: some SequenceSource, _ catalog: FlowCatalog, _ flows: Set<Int>, _ query: ReportQuery) throws {
    let report = try Report(of: source, catalog: catalog, flows: flows, query: query, selection: .standard, threads: 2)
    funnel = report.funnel ?? []
    grants = report.grants ?? []
    dropoff = report.dropoff ?? []
    histories = try HistoryTexts.all(of: source, query: query, catalog: catalog)
    groups =
      query.needs.subjects && flows.allSatisfy { query.unit(of: catalog.definitions[$0]) != .attempt }
      ? try flows.sorted().map { flow in
        try GroupListing.groups(
          of: source, catalog: catalog, flow: flow, query: query, projector: FunnelProjector.self,
          selection: GroupSelection(anyOf: [0]), threads: 2)
      } : []
  }

  /// Creates the answers of lines that are read as two files.
  init(
    ofFiles lines: [String], _ catalog: FlowCatalog, _ flows: Set<Int>, _ query: ReportQuery,
    decoding: DecodingOptions = IndexedStore.decoding
  ) throws {
    let folder = try TemporaryFolder()
    let half = lines.count / 2
    try folder.write(Array(lines[..<half].joined(separator: "\n").utf8), to: "a.ndjson")
    try folder.write(Array(lines[half...].joined(separator: "\n").utf8), to: "b.ndjson")
    let input = SequenceTable.Input.files(try InputFile.files(at: [folder.path]), options: decoding, threads: 2)
    var result: PersonAnswers?
    _ = try SequenceTable.withSequences(of: input, catalog: catalog, query: query, flows: flows, progress: { _ in }) {
      (table) throws(FunnelError) in
      do { result = try PersonAnswers(table, catalog, flows, query) } catch {
        throw error as? FunnelError ?? FunnelError(.usage, "\(error)")
      }
    }
    self = try #require(result)
  }

  /// Creates the answers that follow from the rule of persons, for flows that all count persons or all don't.
  init(byRuleOf log: LinkedLog, _ catalog: FlowCatalog, _ flows: Set<Int>, _ query: ReportQuery) throws {
    let ofPersons = flows.allSatisfy { query.unit(of: catalog.definitions[$0]).isOfPersons }
    let lines = ofPersons ? log.linesOfPersons(upTo: query.now, subjectsMax: query.subjectsOfPersonMax) : log.linesOfSubjects
    try self.init(ofFiles: lines, catalog, flows, query)
  }

  /// Creates the answers of a store's log, read without its index.
  init(ofLog store: IndexedStore, _ flows: Set<Int>, _ query: ReportQuery) throws {
    let table = try SequenceTable.ofLog(store.reader(), catalog: store.catalog, query: query, flows: flows, threads: 2)
    try self.init(table, store.catalog, flows, query)
  }

  /// Creates the answers of a store's index.
  init(ofIndex store: IndexedStore, _ flows: Set<Int>, _ query: ReportQuery) throws {
    let index = try EventIndex.open(for: store.reader())
    let source = try #require(
      try IndexSource(index, catalog: store.catalog, query: query, flows: flows, threads: 2), "\(query)")
    try self.init(source, store.catalog, flows, query)
  }

  /// Returns a random query.
  ///
  /// - Parameters:
  ///   - units: The units of counting to choose from.
  ///   - interval: The interval of the ``LinkedLog``.
  static func query(
    countBy units: [FlowDefinition.CountBy?] = [nil, .person, .entry], interval: Int = 3_600_000,
    using random: inout SeededGenerator
  ) -> ReportQuery {
    var query = ReportQuery(now: Journeys.now)
    if Bool.random(using: &random) {
      query.now = Timestamp(milliseconds: Int64(LinkedLog.start + Int.random(in: 2..<14, using: &random) * interval))
    }
    if Int.random(in: 0..<3, using: &random) == 0 {
      query.since = Timestamp(milliseconds: Int64(LinkedLog.start + Int.random(in: 0..<8, using: &random) * interval))
    }
    query.window = [TimeSpan("1h"), TimeSpan("7d")].randomElement(using: &random) ?? nil
    query.countBy = units.randomElement(using: &random) ?? nil
    if Bool.random(using: &random) { query.by = [.context("variant")] }
    query.subjectsOfPersonMax = [1000, 1000, 3, 1].randomElement(using: &random) ?? 1000
    query.needs.subjects = Bool.random(using: &random)
    return query
  }

  /// Returns the flow versions of a ``LinkedLog`` that count persons, and the others.
  static func units(_ catalog: FlowCatalog, _ query: ReportQuery) -> (persons: Set<Int>, others: Set<Int>) {
    let apps: Set = ["cleaner", "scanner"]
    let all = catalog.definitions.indices.filter { apps.contains(catalog.definitions[$0].app) }
    let persons = Set(all.filter { query.unit(of: catalog.definitions[$0]).isOfPersons })
    return (persons, Set(all).subtracting(persons))
  }
}
