import FunnelSequences
import FunnelIndex
import FunnelStore
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

/// Damage to the index's files never changes an answer: the index is not used, or an error says that it is damaged.
@Suite struct IndexDamageTests {
  private static let query: ReportQuery = {
    var query = ReportQuery(now: Journeys.now)
    query.by = [.context("variant"), .property("size")]
    return query
  }()

  /// Returns a store with an index of several runs, and the histories of its log.
  private func store(seed: UInt64) throws -> (IndexedStore, [String]) {
    var random = SeededGenerator(seed: seed)
    let store = try IndexedStore(catalog: RandomHistories.catalog())
    for count in [300, 60, 10] {
      try store.ingest(RandomHistories.lines(count, using: &random))
      try store.refresh()
    }
    let flows = Set(store.catalog.definitions.indices)
    let table = try SequenceTable.ofLog(store.reader(), catalog: store.catalog, query: Self.query, flows: flows, threads: 1)
    return (store, try HistoryTexts.all(of: table, query: Self.query, catalog: store.catalog))
  }

  /// Returns the histories that the index has, or nil if it is not used.
  private func sequences(_ store: IndexedStore) throws -> [String]? {
    guard let index = try? EventIndex.open(for: try store.reader()) else { return nil }
    do throws(FunnelError) {
      let flows = Set(store.catalog.definitions.indices)
      guard let source = try IndexSource(index, catalog: store.catalog, query: Self.query, flows: flows, threads: 2) else {
        return nil
      }
      return try HistoryTexts.all(of: source, query: Self.query, catalog: store.catalog)
    } catch {
      #expect(error.code == .inputOutput)
      #expect(error.message.contains("index is damaged"))
      return nil
    }
  }

  @Test func `a damaged index is not taken for an absent one`() throws {
    let (store, _) = try store(seed: 1)
    let manifest = try #require(try store.indexFiles().first { $0.hasSuffix("/manifest") })
    let written = try store.folder.contents(manifest)
    _ = try EventIndex.open(for: try store.reader())
    try store.folder.write(Array(written.dropLast()), to: manifest)
    #expect(throws: IndexProblem.damaged) { try EventIndex.open(for: try store.reader()) }
    try store.folder.remove(manifest)
    #expect(throws: IndexProblem.absent) { try EventIndex.open(for: try store.reader()) }
  }

  @Test(arguments: 0..<4)
  func `a byte that was changed, anywhere, changes no answer`(seed: UInt64) throws {
    let (store, expected) = try store(seed: seed)
    #expect(try sequences(store) == expected, "seed \(seed)")
    var random = SeededGenerator(seed: seed + 100)
    var refusals = 0
    for name in try store.indexFiles() {
      let bytes = try store.folder.contents(name)
      for _ in 0..<40 {
        var changed = bytes
        let place = Int.random(in: 0..<bytes.count, using: &random)
        changed[place] ^= UInt8.random(in: 1...255, using: &random)
        try store.folder.write(changed, to: name)
        let found = try sequences(store)
        if found == nil { refusals += 1 }
        #expect(found == nil || found == expected, "seed \(seed), byte \(place) of \(name)")
      }
      try store.folder.write(bytes, to: name)
    }
    #expect(refusals > 40, "seed \(seed): most bytes are read by this question")
    #expect(try sequences(store) == expected, "seed \(seed)")
  }

  @Test(arguments: 0..<3)
  func `files cut, lengthened, emptied, swapped or gone change no answer`(seed: UInt64) throws {
    let (store, expected) = try store(seed: seed)
    let names = try store.indexFiles()
    var random = SeededGenerator(seed: seed + 200)
    for name in names {
      let bytes = try store.folder.contents(name)
      var others = [
        [], bytes + [0], Array(bytes.dropLast()), Array(bytes.dropFirst()), Array(repeating: 0, count: bytes.count),
      ]
      others += (0..<8).map { _ in Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random))) }
      others += try names.filter { $0 != name }.map { try store.folder.contents($0) }
      for other in others {
        try store.folder.write(other, to: name)
        #expect(try sequences(store) == nil, "seed \(seed), \(name) with \(other.count) bytes")
      }
      try store.folder.remove(name)
      #expect(try sequences(store) == nil, "seed \(seed), \(name) is gone")
      try store.folder.write(bytes, to: name)
    }
    #expect(try sequences(store) == expected, "seed \(seed)")
    // The next writer repairs the index.
    try store.folder.write([1, 2, 3], to: names[0])
    try store.refresh()
    #expect(try sequences(store) == expected, "seed \(seed)")
  }

  @Test func `pages with a right checksum and wrong contents can't make a reader read elsewhere`() throws {
    let (store, _) = try store(seed: 9)
    let name = try #require(try store.indexFiles().first { $0.hasSuffix(".fidx") })
    let bytes = try store.folder.contents(name)
    let manifest = try store.folder.contents("store/index/manifest")
    var random = SeededGenerator(seed: 9)
    var used = 0
    let count = Sweeps.count(300, sample: 60)
    for _ in 0..<count {
      var (forged, forgedManifest) = (bytes, manifest)
      // The changes are in the partitions, the dictionaries and the fixed part of the directory.
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        forged[Int.random(in: 0..<bytes.count - 128, using: &random)] = [0, 255, 1, 128].randomElement(using: &random) ?? 0
      }
      ForgedRun.sign(&forgedManifest, checksum: ForgedRun.sign(&forged), of: String(name.dropFirst("store/index/".count)))
      try store.folder.write(forged, to: name)
      try store.folder.write(forgedManifest, to: "store/index/manifest")
      // Any answer is allowed; the reader must only return one.
      if try sequences(store) != nil { used += 1 }
      if let index = try? EventIndex.open(for: try store.reader()) {
        let asked = try store.record(RandomHistories.lines(60, using: &random))
        do throws(FunnelError) {
          _ = try asked.prepared(notIn: index)
        } catch {
          #expect(error.code == .inputOutput)
        }
      }
    }
    #expect(used > 0 && used < count)
  }

  @Test func `an index of another store, or of a journal that was cut, is not used`() throws {
    let (store, _) = try store(seed: 3)
    let (other, _) = try self.store(seed: 4)
    for name in try store.indexFiles() { try store.folder.remove(name) }
    for name in try other.indexFiles() { try store.folder.write(other.folder.contents(name), to: name) }
    #expect(try sequences(store) == nil)
  }

  @Test func `an index made before parts of the log were removed is not used, and is made anew`() throws {
    let (store, _) = try store(seed: 5)
    #expect(try sequences(store) != nil)
    let writer = try store.lock()
    var batch = CommitBatch(kind: .forget, at: Journeys.now)
    batch.removed = [try #require(writer.reader.logFiles(of: .log).first?.name)]
    _ = try writer.commit(batch)
    #expect(try sequences(store) == nil)
    try store.refresh()
    let flows = Set(store.catalog.definitions.indices)
    let table = try SequenceTable.ofLog(store.reader(), catalog: store.catalog, query: Self.query, flows: flows, threads: 1)
    #expect(try sequences(store) == HistoryTexts.all(of: table, query: Self.query, catalog: store.catalog))
  }

  @Test func `a link, a folder or a FIFO in the place of a file is not followed`() throws {
    let (store, expected) = try store(seed: 6)
    let name = try #require(try store.indexFiles().last)
    try store.folder.write(store.folder.contents(name), to: "elsewhere")
    try store.folder.remove(name)
    try SpecialFiles.link(store.folder.path(name), to: store.folder.path("elsewhere"))
    #expect(try sequences(store) == nil)
    try store.folder.remove(name)
    try SpecialFiles.fifo(store.folder.path(name))
    #expect(try sequences(store) == nil)
    try store.refresh()
    #expect(try sequences(store) == expected)
  }

  /// The mutated bytes get correct checksums, so that only the reader's own checks prevent reads out of bounds.
  @Test func `no mutated run or manifest does harm`() throws {
    let (store, _) = try store(seed: 9)
    let names = try store.indexFiles()
    let contents = try names.map { try store.folder.contents($0) }
    let runs = names.filter { $0.hasSuffix(".fidx") }
    let complaints = try MutationSweep("index", samples: contents, count: 100).run { mutant in
      let name = names[mutant.count % names.count]
      var (manifest, bytes) = (contents[names.firstIndex { $0.hasSuffix("manifest") } ?? 0], mutant)
      if runs.contains(name), bytes.count == contents[names.firstIndex(of: name) ?? 0].count {
        ForgedRun.sign(&manifest, checksum: ForgedRun.sign(&bytes), of: String(name.split(separator: "/").last ?? ""))
        try store.folder.write(manifest, to: "store/index/manifest")
      }
      try store.folder.write(bytes, to: name)
      _ = try sequences(store)
      for (name, whole) in zip(names, contents) { try store.folder.write(whole, to: name) }
    }
    #expect(complaints.isEmpty, "\(complaints)")
  }
}
