import FunnelIndex
import FunnelModel
import FunnelSequences
import FunnelTestSupport
import Testing

/// Persons with several subjects are counted as if all their events had one subject, from files, from the log and from the index.
@Suite struct PersonTests {
  private func index(of log: LinkedLog, _ catalog: FlowCatalog) throws -> EventIndex {
    let store = try IndexedStore(catalog: catalog)
    try store.ingest(log.lines)
    try store.refresh()
    return try EventIndex.open(for: store.reader())
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
    for number in 0..<5 {
      let query = PersonAnswers.query(using: &random)
      let (persons, others) = PersonAnswers.units(catalog, query)
      for flows in [persons, others] where !flows.isEmpty {
        let comment: Comment = "seed \(seed), question \(number): \(query), \(flows == persons)"
        let expected = try PersonAnswers(byRuleOf: log, catalog, flows, query)
        #expect(try PersonAnswers(ofFiles: log.lines, catalog, flows, query) == expected, comment)
        #expect(try PersonAnswers(ofLog: store, flows, query) == expected, comment)
        #expect(try PersonAnswers(ofIndex: store, flows, query) == expected, comment)
      }
    }
  }

  @Test(arguments: Sweeps.seeds(12, sample: 3))
  func `flows that count persons and flows that count subjects can be read together`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let catalog = try RandomHistories.catalog()
    let log = LinkedLog(250, using: &random)
    let index = try index(of: log, catalog)
    var query = PersonAnswers.query(using: &random)
    query.countBy = nil
    let (persons, others) = PersonAnswers.units(catalog, query)
    let all = persons.union(others)
    let source = try #require(try IndexSource(index, catalog: catalog, query: query, flows: all, threads: 2))
    for together in [
      try PersonAnswers(source, catalog, all, query), try PersonAnswers(ofFiles: log.lines, catalog, all, query),
    ] {
      let ofPersons = try PersonAnswers(byRuleOf: log, catalog, persons, query)
      let ofOthers = try PersonAnswers(byRuleOf: log, catalog, others, query)
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
    let (flows, _) = PersonAnswers.units(catalog, query)
    let source = try #require(try IndexSource(index, catalog: catalog, query: query, flows: flows, threads: 2))
    for hour in [3, 7, 11] {
      var earlier = query
      earlier.now = Timestamp(milliseconds: Int64(LinkedLog.start + hour * 3_600_000 + 700))
      let expected = try PersonAnswers(byRuleOf: log, catalog, flows, earlier)
      let found = try PersonAnswers(EarlierSequences(at: earlier.now, of: source), catalog, flows, earlier)
      #expect(found == expected, "seed \(seed), \(hour)")
    }
  }
}
