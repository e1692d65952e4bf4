import FunnelDecoding
import FunnelIndex
import FunnelIngest
import FunnelModel
import FunnelProjections
import FunnelReports
import FunnelSchemas
import FunnelSequences
import FunnelStore
import FunnelTestSupport
import Testing

/// Persons with several subjects are counted as if all their events had one subject, from files, from the log and from the index.
@Suite struct PersonTests {
  /// The rows of the reports, and the groups that completed.
  private struct Answers: Equatable {
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
        query.needs.subjects && flows.allSatisfy { (query.countBy ?? catalog.definitions[$0].countBy) != .attempt }
        ? try flows.sorted().map { flow in
          try GroupListing.groups(
            of: source, catalog: catalog, flow: flow, query: query, projector: FunnelProjector.self,
            selection: GroupSelection(anyOf: [0]), threads: 2)
        } : []
    }
  }

  private func answers(
    ofFiles lines: [String], _ catalog: FlowCatalog, _ flows: Set<Int>, _ query: ReportQuery
  ) throws -> Answers {
    let folder = try TemporaryFolder()
    let half = lines.count / 2
    try folder.write(Array(lines[..<half].joined(separator: "\n").utf8), to: "a.ndjson")
    try folder.write(Array(lines[half...].joined(separator: "\n").utf8), to: "b.ndjson")
    let input = SequenceTable.Input.files(
      try InputFile.files(at: [folder.path]), options: DecodingOptions(now: Journeys.now, privacy: BuiltInSchemas.privacy),
      threads: 2)
    var result: Answers?
    _ = try SequenceTable.withSequences(of: input, catalog: catalog, query: query, flows: flows, progress: { _ in }) {
      (table) throws(FunnelError) in
      do { result = try Answers(table, catalog, flows, query) } catch {
        throw error as? FunnelError ?? FunnelError(.usage, "\(error)")
      }
    }
    return try #require(result)
  }

  private func query(using random: inout SeededGenerator) -> ReportQuery {
    var query = ReportQuery(now: Journeys.now)
    if Bool.random(using: &random) {
      query.now = Timestamp(milliseconds: Int64(LinkedLog.start + Int.random(in: 2..<14, using: &random) * 3_600_000))
    }
    if Int.random(in: 0..<3, using: &random) == 0 {
      query.since = Timestamp(milliseconds: Int64(LinkedLog.start + Int.random(in: 0..<8, using: &random) * 3_600_000))
    }
    query.window = [TimeSpan("1h"), TimeSpan("7d")].randomElement(using: &random) ?? nil
    query.countBy = [nil, .person, .entry].randomElement(using: &random) ?? nil
    if Bool.random(using: &random) { query.by = [.context("variant")] }
    query.subjectsOfPersonMax = [1000, 1000, 3, 1].randomElement(using: &random) ?? 1000
    query.needs.subjects = Bool.random(using: &random)
    return query
  }

  private func index(of log: LinkedLog, _ catalog: FlowCatalog) throws -> EventIndex {
    let store = try IndexedStore(catalog: catalog)
    try store.ingest(log.lines)
    try store.refresh()
    return try EventIndex.open(for: store.reader())
  }

  /// Returns the flow versions that count persons, and the others.
  private func units(_ catalog: FlowCatalog, _ query: ReportQuery) -> (persons: Set<Int>, others: Set<Int>) {
    let apps: Set = ["cleaner", "scanner"]
    let all = catalog.definitions.indices.filter { apps.contains(catalog.definitions[$0].app) }
    let persons = Set(all.filter { (query.countBy ?? catalog.definitions[$0].countBy).isOfPersons })
    return (persons, Set(all).subtracting(persons))
  }

  @Test(arguments: Sweeps.seeds(30, sample: 6))
  func `a person's events count as those of one subject`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let catalog = try RandomHistories.catalog()
    // Few events of few subjects show faults that many events hide.
    let log = LinkedLog(Int.random(in: seed.isMultiple(of: 2) ? 3...12 : 20...300, using: &random), using: &random)
    let store = try IndexedStore(catalog: catalog)
    var rest = log.lines.shuffled(using: &random)[...]
    while !rest.isEmpty {
      let count = min(rest.count, Int.random(in: 1...150, using: &random))
      try store.ingest(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
      if Bool.random(using: &random) { try store.refresh() }
    }
    try store.refresh()
    let index = try EventIndex.open(for: store.reader())
    for number in 0..<5 {
      let query = query(using: &random)
      let (persons, others) = units(catalog, query)
      for flows in [persons, others] where !flows.isEmpty {
        let comment: Comment = "seed \(seed), question \(number): \(query), \(flows == persons)"
        let plain =
          flows == persons ? log.linesOfPersons(upTo: query.now, subjectsMax: query.subjectsOfPersonMax) : log.linesOfSubjects
        let expected = try answers(ofFiles: plain, catalog, flows, query)
        #expect(try answers(ofFiles: log.lines, catalog, flows, query) == expected, comment)
        let table = try SequenceTable.ofLog(store.reader(), catalog: catalog, query: query, flows: flows, threads: 2)
        #expect(try Answers(table, catalog, flows, query) == expected, comment)
        let source = try #require(try IndexSource(index, catalog: catalog, query: query, flows: flows, threads: 2), comment)
        let indexed = try Answers(source, catalog, flows, query)
        #expect(indexed == expected, comment)
      }
    }
  }

  @Test(arguments: Sweeps.seeds(12, sample: 3))
  func `flows that count persons and flows that count subjects can be read together`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let catalog = try RandomHistories.catalog()
    let log = LinkedLog(250, using: &random)
    let index = try index(of: log, catalog)
    var query = query(using: &random)
    query.countBy = nil
    let (persons, others) = units(catalog, query)
    let all = persons.union(others)
    let source = try #require(try IndexSource(index, catalog: catalog, query: query, flows: all, threads: 2))
    let plain = log.linesOfPersons(upTo: query.now, subjectsMax: query.subjectsOfPersonMax)
    for together in [try Answers(source, catalog, all, query), try answers(ofFiles: log.lines, catalog, all, query)] {
      let ofPersons = try answers(ofFiles: plain, catalog, persons, query)
      let ofOthers = try answers(ofFiles: log.linesOfSubjects, catalog, others, query)
      #expect(together.funnel.filter { ofPersons.funnel.contains($0) } == ofPersons.funnel, "seed \(seed)")
      #expect(together.funnel.filter { ofOthers.funnel.contains($0) } == ofOthers.funnel, "seed \(seed)")
      #expect(together.funnel.count == ofPersons.funnel.count + ofOthers.funnel.count, "seed \(seed)")
    }
  }

  @Test(arguments: Sweeps.seeds(12, sample: 3))
  func `an earlier moment knows only the links before it`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let catalog = try RandomHistories.catalog()
    let log = LinkedLog(250, using: &random)
    let index = try index(of: log, catalog)
    var query = ReportQuery(now: Journeys.now)
    query.countBy = .person
    let (flows, _) = units(catalog, query)
    let source = try #require(try IndexSource(index, catalog: catalog, query: query, flows: flows, threads: 2))
    for hour in [3, 7, 11] {
      var earlier = query
      earlier.now = Timestamp(milliseconds: Int64(LinkedLog.start + hour * 3_600_000 + 700))
      let expected = try answers(
        ofFiles: log.linesOfPersons(upTo: earlier.now, subjectsMax: query.subjectsOfPersonMax), catalog, flows, earlier)
      #expect(
        try Answers(EarlierSequences(at: earlier.now, of: source), catalog, flows, earlier) == expected, "seed \(seed), \(hour)"
      )
    }
  }
}
