import FunnelIndex
import FunnelSequences
import FunnelStore
import FunnelModel
import FunnelTestSupport
import Testing

/// Records of a log that are not events although every checksum and hash is right, because another program wrote them.
@Suite struct UnreadableRecordTests {
  private let store: IndexedStore

  init() throws {
    store = try IndexedStore(catalog: Journeys.builtIn)
    try store.ingest((0..<20).map { Journeys.event("n\($0)", "perm_flow_start", at: $0, "\"subject\":\"s\($0)\"") })
    var batch = CommitBatch(kind: .ingest, at: Journeys.now)
    for line in [#"{"name":"Opened"}"#, "{"] {
      batch.events[Journeys.now.day, default: RecordBatch()].append(line.utf8, timestamp: Journeys.now)
    }
    _ = try store.lock().commit(batch)
  }

  private func subjects(_ reader: StoreReader, threads: Int) throws -> Int {
    let query = ReportQuery(now: Journeys.now)
    let table = try SequenceTable.ofLog(
      reader, catalog: store.catalog, query: query, flows: Set(store.catalog.definitions.indices), threads: threads)
    var count = 0
    for partition in 0..<table.partitionCount { try table.forEachSequence(inPartition: partition) { _ in count += 1 } }
    return count
  }

  @Test(arguments: [1, 2])
  func `a reader that tolerates damage notes them and leaves them out`(threads: Int) throws {
    let reader = try StoreReader.openTolerating(store.folder.path("store"))
    #expect(try subjects(reader, threads: threads) == 20)
    let entries = try #require(reader.damage?.entries)
    #expect(
      entries.map(\.reason) == ["a gzip member has records that are not events"] && entries.map(\.events) == [2], "\(entries)")
    #expect(entries.map(\.path) == ["log/dt=2026-11-21/part-00000.ndjson.gz"], "\(entries)")
  }

  @Test func `any other reader refuses them`() throws {
    #expect {
      try subjects(store.reader(), threads: 1)
    } throws: { error in
      guard let error = error as? FunnelError, error.code == .inputOutput else { return false }
      return error.message.hasPrefix("a record of the log can't be read, ")
    }
  }

  @Test func `no index is made of them`() throws {
    #expect(throws: FunnelError.self) { try store.refresh() }
    #expect(try subjects(StoreReader.openTolerating(store.folder.path("store")), threads: 2) == 20)
  }
}
