import FunnelSequences
import FunnelIndex
import FunnelModel
import FunnelReports
import FunnelTestSupport
import Testing

/// Properties with many numbers have columns of their own in the index, and reports of them are those of the log.
@Suite struct MeasureTests {
  private func question(_ store: IndexedStore, using random: inout SeededGenerator) -> ReportQuery {
    var query = ReportQuery(now: Journeys.now)
    let start = Int64(1_794_787_200_000)
    if Int.random(in: 0..<3, using: &random) == 0 {
      query.since = Timestamp(milliseconds: start + Int64.random(in: 0..<3 * 86_400_000, using: &random))
    }
    if Int.random(in: 0..<3, using: &random) == 0 {
      query.now = Timestamp(milliseconds: start + Int64.random(in: 86_400_000..<4 * 86_400_000, using: &random))
    }
    let dimensions: [Dimension] = [.context("variant"), .property("few"), .day, .step(id: "auth", .property("few"))]
    query.by = Array(dimensions.shuffled(using: &random).prefix(Int.random(in: 0...1, using: &random)))
    query.order = StepOrder.allCases.randomElement(using: &random) ?? .ordered
    return ReportSelection(StepsReport.self).prepared(query, flows: store.catalog.definitions)
  }

  /// Checks that a report of all properties is the same from the index as from the log; returns the keys that the index measures.
  private func expectSteps(_ store: IndexedStore, _ query: ReportQuery, _ comment: Comment) throws -> [String]? {
    let reader = try store.reader()
    let flows = Set(store.catalog.definitions.indices)
    let index = try #require(try EventIndex.open(for: reader).completed(with: reader, threads: 2), comment)
    guard let source = try IndexSource(index, catalog: store.catalog, query: query, flows: flows, threads: 2) else {
      return nil
    }
    let table = try SequenceTable.ofLog(reader, catalog: store.catalog, query: query, flows: flows, threads: 2)
    let expected = try store.steps(of: table, query)
    #expect(!expected.isEmpty || query.since != nil, comment)
    for threads in [1, 3] { #expect(try store.steps(of: source, query, threads: threads) == expected, comment) }
    return source.measuredKeys
  }

  @Test(arguments: Sweeps.seeds(24, sample: 3))
  func `numbers of any kind are those of the log, for any commits, merges and questions`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let store = try IndexedStore(catalog: Journeys.builtIn)
    var logs = RandomMeasurements(hasTexts: seed % 3 == 2)
    let sizes = seed % 2 == 0 ? [1900] : [700, 30, 900, 1, 500]
    for subjects in sizes {
      try store.ingest(logs.lines(subjects: subjects, using: &random))
      if Int.random(in: 0..<4, using: &random) > 0 { try store.refresh(threads: Int.random(in: 1...3, using: &random)) }
    }
    for number in 0..<3 {
      let query = question(store, using: &random)
      let measured = try expectSteps(store, query, "seed \(seed), question \(number): \(query)")
      guard !logs.hasTexts else {
        #expect(measured == nil, "seed \(seed): a key with many values and a string is dropped")
        continue
      }
      #expect(try #require(measured, "seed \(seed)").contains("duration_ms"), "seed \(seed): \(measured ?? [])")
    }
  }

  /// In each run the property has few enough values for the dictionary, and too many in the first of them that are merged.
  @Test(arguments: Sweeps.seeds(8, sample: 1))
  func `a property becomes measured when runs are merged`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let store = try IndexedStore(catalog: Journeys.builtIn)
    var logs = RandomMeasurements(hasTexts: false)
    var isMeasured = false
    for round in 0..<9 {
      try store.ingest(logs.lines(subjects: 250, using: &random))
      try store.refresh()
      let query = question(store, using: &random)
      let measured = try #require(try expectSteps(store, query, "seed \(seed), round \(round)"))
      if isMeasured { #expect(measured.contains("duration_ms"), "seed \(seed), round \(round)") }
      if round < 3 { #expect(measured == [], "seed \(seed), round \(round)") }
      isMeasured = measured.contains("duration_ms")
    }
    #expect(isMeasured, "seed \(seed)")
  }

  @Test func `a string of a property that was measured so far drops it, also from earlier runs`() throws {
    var random = SeededGenerator(seed: 1)
    let store = try IndexedStore(catalog: Journeys.builtIn)
    var logs = RandomMeasurements(hasTexts: false)
    try store.ingest(logs.lines(subjects: 1900, using: &random))
    try store.refresh()
    let query = question(store, using: &random)
    #expect(try #require(try expectSteps(store, query, "numbers")).contains("mixed"))
    logs.hasTexts = true
    try store.ingest(logs.lines(subjects: 100, using: &random))
    // In a run of its own the few strings of `mixed` are in the dictionary.
    #expect(try #require(try expectSteps(store, query, "read beside")).contains("mixed"))
    for _ in 0..<8 {
      try store.ingest(logs.lines(subjects: 250, using: &random))
      try store.refresh()
    }
    #expect(try expectSteps(store, query, "merged") == nil)
  }

  @Test func `a key with many strings is dropped, and a report of all properties says so`() throws {
    var random = SeededGenerator(seed: 2)
    let store = try IndexedStore(catalog: Journeys.builtIn)
    var logs = RandomMeasurements(hasTexts: false)
    logs.hasNames = true
    try store.ingest(logs.lines(subjects: 1900, using: &random))
    try store.refresh()
    #expect(try expectSteps(store, question(store, using: &random), "names") == nil)
  }

  /// The index has the numbers of a measured property for counting only, so that all values of one property come from the log.
  @Test func `a report that compares the values of a measured property reads the log`() throws {
    var random = SeededGenerator(seed: 3)
    let store = try IndexedStore(catalog: Journeys.builtIn)
    var logs = RandomMeasurements(hasTexts: false)
    try store.ingest(logs.lines(subjects: 1900, using: &random))
    try store.refresh()
    for (key, isMeasured) in [("duration_ms", true), ("few", false)] {
      for dimension in [Dimension.property(key), .step(id: "auth", .property(key))] {
        var query = ReportQuery(now: Journeys.now)
        query.by = [dimension]
        let flows = store.catalog.definitions
        let questions = [query, ReportSelection(StepsReport.self).prepared(query, flows: flows)]
        for question in questions {
          let index = try EventIndex.open(for: try store.reader())
          let source = try IndexSource(index, catalog: store.catalog, query: question, flows: Set(flows.indices), threads: 2)
          #expect((source == nil) == isMeasured, "\(question)")
        }
      }
    }
  }

  @Test func `more keys than are measured are dropped`() throws {
    let store = try IndexedStore(catalog: Journeys.builtIn)
    func lines(_ keys: Range<Int>) -> [String] {
      (0..<4200).map { number in
        let props = keys.map { "\"k\($0)\":\(number)" }.joined(separator: ",")
        return
          "{\"name\":\"step_completed\",\"ts\":\(1_794_787_200_000 + number),\"app\":\"trendy\",\"flow\":\"onboarding\","
          + "\"subject\":\"s\(number)\",\"step\":\"welcome\",\"props\":{\(props)}}"
      }
    }
    let query = ReportSelection(StepsReport.self).prepared(ReportQuery(now: Journeys.now), flows: store.catalog.definitions)
    let flows = Set(store.catalog.definitions.indices)
    try store.ingest(lines(0..<Limits.indexMeasuresMax))
    try store.refresh(threads: 1)
    let index = try EventIndex.open(for: try store.reader())
    let source = try #require(try IndexSource(index, catalog: store.catalog, query: query, flows: flows, threads: 2))
    #expect(source.measuredKeys.count == Limits.indexMeasuresMax)
    let other = try IndexedStore(catalog: Journeys.builtIn)
    try other.ingest(lines(0..<Limits.indexMeasuresMax + 1))
    try other.refresh(threads: 1)
    let larger = try EventIndex.open(for: try other.reader())
    #expect(try IndexSource(larger, catalog: store.catalog, query: query, flows: flows, threads: 2) == nil)
  }
}
