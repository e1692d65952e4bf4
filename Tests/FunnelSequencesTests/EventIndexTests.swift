import FunnelDecoding
import FunnelIngest
import FunnelSequences
import FunnelIndex
import FunnelStore
import FunnelModel
import FunnelTestSupport
import FunnelReports
import Testing

/// The index gives the same answers as the log, however it was built.
@Suite struct EventIndexTests {
  /// Returns a store of several commits, with an index of some of them.
  private func store(_ lines: [String], using random: inout SeededGenerator) throws -> IndexedStore {
    let store = try IndexedStore(catalog: RandomHistories.catalog())
    var rest = lines[...]
    while !rest.isEmpty {
      let count = min(rest.count, Int.random(in: 1...150, using: &random))
      try store.ingest(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
      if Bool.random(using: &random) { try store.refresh(threads: Int.random(in: 1...3, using: &random)) }
    }
    return store
  }

  /// Returns the index with the commits that it does not cover yet; if there is no index, it is built first.
  private func index(_ store: IndexedStore) throws -> EventIndex {
    let reader = try store.reader()
    if (try? EventIndex.open(for: reader)) == nil { try store.refresh() }
    let index = try EventIndex.open(for: reader)
    return try #require(try index.completed(with: reader, threads: 2))
  }

  private func expectSameHistories(_ store: IndexedStore, _ index: EventIndex, _ query: ReportQuery, _ comment: Comment)
    throws
  {
    let flows = Set(store.catalog.definitions.indices)
    let table = try SequenceTable.ofLog(store.reader(), catalog: store.catalog, query: query, flows: flows, threads: 2)
    let source = try #require(try IndexSource(index, catalog: store.catalog, query: query, flows: flows, threads: 2), comment)
    let expected = try HistoryTexts.all(of: table, query: query, catalog: store.catalog)
    #expect(try HistoryTexts.all(of: source, query: query, catalog: store.catalog) == expected, comment)
    let reports = [
      try Report(of: table, catalog: store.catalog, flows: flows, query: query, selection: .standard, threads: 2),
      try Report(of: source, catalog: store.catalog, flows: flows, query: query, selection: .standard, threads: 2),
    ]
    #expect(reports[0].funnel == reports[1].funnel, comment)
    #expect(reports[0].grants == reports[1].grants, comment)
    #expect(reports[0].dropoff == reports[1].dropoff, comment)
  }

  @Test(arguments: Sweeps.seeds(12, sample: 4))
  func `histories and reports are those of the log, for any commits and any question`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let store = try store(RandomHistories.lines(600, using: &random), using: &random)
    let index = try index(store)
    #expect(index.eventCount == (try store.reader().eventCount), "seed \(seed)")
    for number in 0..<6 {
      let query = RandomHistories.query(using: &random)
      try expectSameHistories(store, index, query, "seed \(seed), question \(number): \(query)")
    }
  }

  @Test(arguments: Sweeps.seeds(6, sample: 2))
  func `an index merged of many runs is that of one`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let store = try IndexedStore(catalog: RandomHistories.catalog())
    let lines = RandomHistories.lines(800, using: &random)
    for start in stride(from: 0, to: lines.count, by: 40) {
      try store.ingest(Array(lines[start..<start + 40]))
      try store.refresh()
    }
    #expect(try store.indexFiles().count <= 7, "seed \(seed): six runs and the manifest at most")
    let merged = try index(store)
    try store.folder.remove("store/index")
    try store.refresh()
    #expect(try store.indexFiles().count == 2, "seed \(seed)")
    let whole = try index(store)
    #expect(merged.eventCount == whole.eventCount, "seed \(seed)")
    for number in 0..<4 {
      let query = RandomHistories.query(using: &random)
      try expectSameHistories(store, merged, query, "seed \(seed), question \(number)")
      try expectSameHistories(store, whole, query, "seed \(seed), question \(number)")
    }
  }

  @Test func `only the flows that are asked for are handed out`() throws {
    var random = SeededGenerator(seed: 1)
    let store = try store(RandomHistories.lines(300, using: &random), using: &random)
    let index = try index(store)
    let query = ReportQuery(now: Journeys.now)
    for flow in store.catalog.definitions.indices {
      let table = try SequenceTable.ofLog(store.reader(), catalog: store.catalog, query: query, flows: [flow], threads: 1)
      let source = try #require(try IndexSource(index, catalog: store.catalog, query: query, flows: [flow], threads: 2))
      #expect(
        try HistoryTexts.all(of: source, query: query, catalog: store.catalog)
          == HistoryTexts.all(of: table, query: query, catalog: store.catalog))
    }
  }

  @Test func `a key with very many values is not indexed, and a question about it says so`() throws {
    let store = try IndexedStore(catalog: RandomHistories.catalog())
    let lines = (0..<5000).map {
      Journeys.event(
        "\($0 % 5)", "perm_flow_start", at: $0, "\"subject\":\"s\($0 % 9)\",\"ctx\":{\"many\":\($0),\"few\":\($0 % 3)}")
    }
    try store.ingest(Array(lines[..<2500]))
    try store.refresh()
    try store.ingest(Array(lines[2500...]))
    try store.refresh()
    let index = try index(store)
    let flows = Set(store.catalog.definitions.indices)
    var query = ReportQuery(now: Journeys.now)
    for dimension in [Dimension.context("few"), .property("n"), .context("absent")] {
      query.by = [dimension]
      try expectSameHistories(store, index, query, "\(dimension)")
    }
    query.by = [.context("many")]
    #expect(try IndexSource(index, catalog: store.catalog, query: query, flows: flows, threads: 2) == nil)
    query.by = []
    query.conditions = [try #require(SegmentCondition("ctx.many=7"))]
    #expect(try IndexSource(index, catalog: store.catalog, query: query, flows: flows, threads: 2) == nil)
  }

  @Test func `many different contents leave the keys with most values out, and the others stay`() throws {
    let store = try IndexedStore(catalog: RandomHistories.catalog())
    // 1,700 contents of about 10 KB exceed the bytes that a dictionary may have.
    let long = String(repeating: "v", count: 250)
    let constant = (0..<40).map { "\"k\($0)\":\"\(long)\"" }.joined(separator: ",")
    let lines = (0..<1700).map {
      Journeys.event(
        "x", "perm_flow_start", at: $0, "\"subject\":\"s\($0 % 99)\",\"ctx\":{\"a\":\($0),\"c\":\($0 % 2),\(constant)}")
    }
    try store.ingest(lines)
    // A single recorder may use the whole limit; several share it.
    try store.refresh(threads: 1)
    let index = try index(store)
    let flows = Set(store.catalog.definitions.indices)
    var query = ReportQuery(now: Journeys.now)
    query.by = [.context("a")]
    #expect(try IndexSource(index, catalog: store.catalog, query: query, flows: flows, threads: 2) == nil)
    query.by = [.context("c")]
    let source = try #require(try IndexSource(index, catalog: store.catalog, query: query, flows: flows, threads: 2))
    var counts: [PropertyValue: Int] = [:]
    for partition in 0..<source.partitionCount {
      try source.forEachSequence(inPartition: partition) { sequence in
        for event in 0..<sequence.count { counts[source.segments.row(sequence.rows?[event] ?? 0)[0], default: 0] += 1 }
      }
    }
    #expect(counts == [.integer(0): 850, .integer(1): 850])
  }

  @Test func `texts of any kind and length come through`() throws {
    let store = try IndexedStore(catalog: RandomHistories.catalog())
    let long = String(repeating: "v", count: 300)
    try store.ingest([
      Journeys.event("日本\\u0000😀", "perm_flow_start", at: 0, "\"subject\":\"a\",\"ctx\":{\"\":\"empty key\",\"é\":\"\"}"),
      Journeys.event("b", "perm_flow_start", at: 1, "\"subject\":\"b\",\"ctx\":{\"é\":9007199254740993,\"z\":-0.0}"),
      Journeys.event("c", "perm_flow_start", at: 2, "\"subject\":\"c\",\"ctx\":{\"z\":1e300,\"w\":\"\(long)\"}"),
    ])
    try store.refresh()
    var query = ReportQuery(now: Journeys.now)
    query.by = [.property("n"), .context("é"), .context("z")]
    try expectSameHistories(store, try index(store), query, "texts")
    query.by = [.context("w")]
    #expect(
      try IndexSource(
        try index(store), catalog: store.catalog, query: query, flows: Set(store.catalog.definitions.indices), threads: 2)
        == nil)
  }

  @Test func `an empty store, and commits without events, have an index too`() throws {
    let store = try IndexedStore(catalog: RandomHistories.catalog())
    try store.ingest(["not an event"])
    try store.refresh()
    #expect(try index(store).eventCount == 0)
    try store.ingest([Journeys.event("a", "perm_flow_start", at: 0)])
    try store.ingest(["neither"])
    try store.refresh()
    let index = try index(store)
    #expect(index.eventCount == 1)
    #expect(index.commit == 3)
    try expectSameHistories(store, index, ReportQuery(now: Journeys.now), "one event")
  }
}
