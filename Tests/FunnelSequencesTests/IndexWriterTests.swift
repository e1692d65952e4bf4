import FunnelDecoding
import FunnelIngest
import FunnelSequences
import FunnelIndex
import FunnelStore
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

/// The index is extended while a store is written, and is searched for duplicates.
@Suite struct IndexWriterTests {
  @Test(arguments: Sweeps.seeds(10, sample: 4))
  func `the index holds exactly the events the log holds`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let store = try IndexedStore(catalog: RandomHistories.catalog())
    var known: Set<Hash128> = []
    for round in 0..<4 {
      let lines = RandomHistories.lines(200, using: &random)
      try store.ingest(lines)
      known.formUnion(try store.record(lines).identities)
      try store.refresh()
      let asked = try store.record(lines.shuffled(using: &random) + RandomHistories.lines(200, using: &random))
      let index = try EventIndex.open(for: try store.reader())
      let prepared = try asked.prepared(notIn: index, threads: Int.random(in: 1...3, using: &random))
      try #require(prepared.isDropped.count == asked.identities.count)
      // Of the events that the index does not hold, exactly one of each identity is kept.
      let kept = zip(asked.identities, prepared.isDropped).filter { !$1 }.map(\.0)
      #expect(Set(kept).count == kept.count, "seed \(seed), round \(round)")
      #expect(Set(kept) == Set(asked.identities).subtracting(known), "seed \(seed), round \(round)")
    }
  }

  @Test func `a subject with very many events is searched in time that does not grow with their square`() throws {
    let store = try IndexedStore(catalog: RandomHistories.catalog())
    let lines = (0..<3000).map { Journeys.event("x", "perm_flow_start", at: $0 % 7, "\"id\":\"id-\($0)\"") }
    try store.ingest(Array(lines[..<2000]))
    try store.refresh()
    let index = try EventIndex.open(for: try store.reader())
    let asked = try store.record(lines)
    let isDropped = try asked.prepared(notIn: index).isDropped
    #expect(isDropped.filter { $0 }.count == 2000)
    #expect(Set(zip(asked.identities, isDropped).filter(\.1).map(\.0)).count == 2000)
  }

  /// Ingests lines in commits, and adds each commit to the index as an ingest would: only events that the store does not hold,
  /// and one of each identity in a batch.
  private func ingestAppending(_ lines: [String], by count: Int, into store: IndexedStore, threads: Int) throws {
    _ = try store.lock()
    let writer = try store.indexWriter(threads: threads)
    for start in stride(from: 0, to: lines.count, by: count) {
      let recorded = try store.record(Array(lines[start..<min(start + count, lines.count)]))
      let prepared = try recorded.prepared(notIn: writer.index, threads: threads)
      try store.ingest(Array(lines[start..<min(start + count, lines.count)]))
      let commit = try #require(try store.reader().commits.last)
      guard commit.number > writer.commit else { continue }
      #expect(commit.events == prepared.isDropped.filter { !$0 }.count)
      try writer.append(commit.events > 0 ? prepared : nil, as: commit)
    }
    try writer.finish()
  }

  @Test(arguments: Sweeps.seeds(6, sample: 3))
  func `batches added commit by commit make the index that reading the log makes`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let catalog = try RandomHistories.catalog()
    // The lines are ingested once, in the order of time, so it does not matter which of several events with one identity stays.
    let lines = (0..<700).map { number in
      Journeys.event(
        "\(number % 9)", ["perm_flow_start", "perm_photos_granted", "perm_photos_pre_prompt_shown"][number % 3],
        at: number / 4 * 1000,
        "\"subject\":\"s\(Int.random(in: 0..<40, using: &random))\",\"id\":\"\(Int.random(in: 0..<600, using: &random))\"")
    }
    let store = try IndexedStore(catalog: catalog)
    try ingestAppending(
      lines, by: Int.random(in: 7...200, using: &random), into: store, threads: Int.random(in: 1...3, using: &random))
    let reader = try store.reader()
    let appended = try EventIndex.open(for: reader)
    #expect(appended.eventCount == reader.eventCount, "seed \(seed)")
    #expect(appended.commit == reader.commits.count, "seed \(seed)")
    let flows = Set(catalog.definitions.indices)
    var query = ReportQuery(now: Journeys.now)
    query.by = [.property("n")]
    let source = try #require(try IndexSource(appended, catalog: catalog, query: query, flows: flows, threads: 2))
    let table = try SequenceTable.ofLog(reader, catalog: catalog, query: query, flows: flows, threads: 1)
    #expect(
      try HistoryTexts.all(of: source, query: query, catalog: catalog)
        == HistoryTexts.all(of: table, query: query, catalog: catalog),
      "seed \(seed)")
  }

  @Test func `a disk that fails at any call leaves an index that answers rightly or none`() throws {
    var random = SeededGenerator(seed: 1)
    let first = try IndexedStore(catalog: RandomHistories.catalog())
    try first.ingest(RandomHistories.lines(60, using: &random))
    try first.refresh()
    try first.ingest(RandomHistories.lines(300, using: &random))
    let counter = FaultyFileSystem(.none)
    let counted = try IndexedStore(catalog: first.catalog, folder: first.folder.copy())
    try counted.indexWriter(fileSystem: counter).catchUp(with: try counted.reader())
    #expect(counter.calls > 10)
    for call in 1...counter.calls {
      for fault in [FaultyFileSystem.Fault.failure(atCall: call), .halfDone(atCall: call), .killDuring(call: call)] {
        let store = try IndexedStore(catalog: first.catalog, folder: first.folder.copy())
        try? store.indexWriter(fileSystem: FaultyFileSystem(fault)).catchUp(with: try store.reader())
        let reader = try store.reader()
        if let index = try? EventIndex.open(for: reader) {
          #expect(index.eventCount == reader.commits.prefix(index.commit).reduce(0) { $0 + $1.events }, "call \(call)")
        }
        try store.refresh()
        let index = try #require((try? EventIndex.open(for: reader)), "call \(call)")
        #expect(index.commit == reader.commits.count, "call \(call)")
        #expect(!(try store.indexFiles().contains { $0.hasSuffix(".tmp") }), "call \(call)")
      }
    }
  }

  @Test func `whatever writes to the store next removes the temporary file of an index whose writer was killed`() throws {
    var random = SeededGenerator(seed: 4)
    let first = try IndexedStore(catalog: RandomHistories.catalog())
    try first.ingest(RandomHistories.lines(60, using: &random))
    let counter = FaultyFileSystem()
    let counted = try IndexedStore(catalog: first.catalog, folder: first.folder.copy())
    try counted.indexWriter(fileSystem: counter).catchUp(with: try counted.reader())
    var left = 0
    for call in 1...counter.calls {
      let store = try IndexedStore(catalog: first.catalog, folder: first.folder.copy())
      try? store.indexWriter(fileSystem: FaultyFileSystem(.killAfter(call: call))).catchUp(with: try store.reader())
      let files = try store.indexFiles()
      left += files.count { $0.hasSuffix(".tmp") }
      _ = try store.lock()
      #expect(try store.indexFiles() == files.filter { !$0.hasSuffix(".tmp") }, "call \(call)")
    }
    #expect(left > 0)
  }

  @Test func `a reader that opened the index keeps it while a writer replaces it`() throws {
    var random = SeededGenerator(seed: 2)
    let store = try IndexedStore(catalog: RandomHistories.catalog())
    try store.ingest(RandomHistories.lines(200, using: &random))
    try store.refresh()
    let query = ReportQuery(now: Journeys.now)
    let flows = Set(store.catalog.definitions.indices)
    let old = try EventIndex.open(for: try store.reader())
    let source = try #require(try IndexSource(old, catalog: store.catalog, query: query, flows: flows, threads: 2))
    let before = try HistoryTexts.all(of: source, query: query, catalog: store.catalog)
    let reader = try store.reader()
    try store.ingest(RandomHistories.lines(200, using: &random))
    try store.refresh()
    #expect(try HistoryTexts.all(of: source, query: query, catalog: store.catalog) == before)
    // A reader of the older state finds an index that covers more than its journal, and does not use it.
    #expect((try? EventIndex.open(for: reader)) == nil)
    #expect((try? EventIndex.open(for: try store.reader()))?.commit == 2)
  }

  @Test func `what lies in the folder of the index and is not its own is removed, and all is private`() throws {
    let store = try IndexedStore(catalog: RandomHistories.catalog())
    try store.ingest([Journeys.event("a", "perm_flow_start", at: 0)])
    try store.refresh()
    try store.folder.write([1], to: "store/index/.run-1-1-x.fidx.1.tmp")
    try store.folder.write([1], to: "store/index/run-1-1-old.fidx")
    try store.ingest([Journeys.event("b", "perm_flow_start", at: 1)])
    try store.refresh()
    let files = try store.indexFiles()
    #expect(files.count == 2)
    for name in files + ["store/index"] {
      #expect(try SpecialFiles.permissions(store.folder.path(name)) & 0o077 == 0, "\(name)")
    }
  }
}
