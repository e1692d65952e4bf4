import FunnelSequences
import FunnelIndex
import FunnelModel
import FunnelReports
import FunnelTestSupport
import Testing

/// Damage to the numbers of measured properties never changes a report: the index is not used, or an error says that it is damaged.
@Suite struct MeasureDamageTests {
  private static let manifest = "store/index/manifest"

  private let store: IndexedStore
  private let query: ReportQuery
  /// The rows that the log has.
  private let expected: [StepsRow]
  /// The name of the run with measured properties, and its bytes.
  private let run: String
  private let bytes: [UInt8]
  private let manifest: [UInt8]

  init() throws {
    var random = SeededGenerator(seed: 11)
    store = try IndexedStore(catalog: Journeys.builtIn)
    var logs = RandomMeasurements(hasTexts: false)
    try store.ingest(logs.lines(subjects: 1900, using: &random))
    try store.refresh()
    query = ReportSelection(StepsReport.self).prepared(ReportQuery(now: Journeys.now), flows: store.catalog.definitions)
    let flows = Set(store.catalog.definitions.indices)
    let table = try SequenceTable.ofLog(store.reader(), catalog: store.catalog, query: query, flows: flows, threads: 1)
    expected = try store.steps(of: table, query)
    run = try #require(try store.indexFiles().first { $0.hasSuffix(".fidx") })
    bytes = try store.folder.contents(run)
    manifest = try store.folder.contents(Self.manifest)
    try #require(try rows() == expected)
  }

  /// Returns the rows that the index has, or nil if it is not used.
  private func rows() throws -> [StepsRow]? {
    guard let index = try? EventIndex.open(for: try store.reader()) else { return nil }
    do {
      let flows = Set(store.catalog.definitions.indices)
      guard let source = try IndexSource(index, catalog: store.catalog, query: query, flows: flows, threads: 2) else {
        return nil
      }
      return try store.steps(of: source, query)
    } catch let error as FunnelError {
      #expect(error.code == .inputOutput)
      #expect(error.message.contains("index is damaged"))
      return nil
    }
  }

  /// Writes a changed run with correct checksums, so that only the reader's own checks detect the change.
  private func writeForged(_ change: (inout [UInt8]) -> Void) throws {
    var (forged, forgedManifest) = (bytes, manifest)
    change(&forged)
    ForgedRun.sign(&forgedManifest, checksum: ForgedRun.sign(&forged), of: String(run.dropFirst("store/index/".count)))
    try store.folder.write(forged, to: run)
    try store.folder.write(forgedManifest, to: Self.manifest)
  }

  private func put(_ number: UInt64, byteCount: Int, at place: Int, in bytes: inout [UInt8]) {
    for index in 0..<byteCount { bytes[place + index] = UInt8(truncatingIfNeeded: number >> UInt64(8 * index)) }
  }

  @Test func `a bit that was flipped in any number is detected`() throws {
    var random = SeededGenerator(seed: 12)
    for number in 0..<Sweeps.count(200, sample: 20) {
      let section = ForgedRun.measures(ofPartition: number % 64, in: bytes)
      let place = try #require(section.randomElement(using: &random), "partition \(number % 64) has numbers")
      var changed = bytes
      changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      try store.folder.write(changed, to: run)
      #expect(try rows() == nil, "byte \(place)")
    }
  }

  @Test func `a section that was cut, lengthened or emptied is detected`() throws {
    for partition in stride(from: 0, to: 64, by: Sweeps.isFull ? 1 : 40) {
      let place = ForgedRun.placeOfMeasures(ofPartition: partition, in: bytes) + 8
      let length = ForgedRun.measures(ofPartition: partition, in: bytes).count
      for other in [0, 8, 23, 24, length - 8, length - 1, length + 1, length + 8] {
        try writeForged { put(UInt64(other), byteCount: 8, at: place, in: &$0) }
        #expect(try rows() == nil, "partition \(partition), \(other) bytes of \(length)")
      }
    }
  }

  @Test func `the head of a column that can't be right is detected`() throws {
    let heads: [(what: String, offset: Int, byteCount: Int, number: UInt64)] = [
      ("no numbers", 0, 8, 0), ("too many numbers", 0, 8, 1 << 20), ("more numbers than bytes", 0, 8, .max),
      ("numbers whose bytes overflow", 0, 8, 1 << 61), ("no width", 8, 4, 0), ("a width of three bytes", 8, 4, 3),
      ("a width of sixteen bytes", 8, 4, 16), ("neither integers nor doubles", 12, 4, 2),
    ]
    for partition in stride(from: 0, to: 64, by: Sweeps.isFull ? 1 : 64) {
      let start = ForgedRun.measures(ofPartition: partition, in: bytes).lowerBound
      for head in heads {
        try writeForged { put(head.number, byteCount: head.byteCount, at: start + head.offset, in: &$0) }
        #expect(try rows() == nil, "partition \(partition), \(head.what)")
      }
    }
  }

  /// Any answer is allowed, because the checksums are right. The readers and the merging of runs must only return one, or an error.
  @Test func `forged numbers, dictionaries and contents can't make a reader read elsewhere`() throws {
    var random = SeededGenerator(seed: 13)
    var used = 0
    let count = Sweeps.count(400, sample: 30)
    for number in 0..<count {
      try writeForged { forged in
        let section = ForgedRun.measures(ofPartition: Int.random(in: 0..<64, using: &random), in: bytes)
        // The dictionaries are between the last partition and the directory.
        let dictionaries = ForgedRun.measures(ofPartition: 63, in: bytes).upperBound..<bytes.count - 128
        for _ in 0..<Int.random(in: 1...12, using: &random) {
          let place = (number % 3 == 0 ? dictionaries : section).randomElement(using: &random) ?? section.lowerBound
          forged[place] = [0, 255, 1, 5, 128].randomElement(using: &random) ?? 0
        }
      }
      if try rows() != nil { used += 1 }
      if number % 15 == 0 { try merge(using: &random) }
    }
    #expect(used > 0 && used < count)
  }

  /// Merges the forged run with one of another commit, in a copy of the store.
  private func merge(using random: inout SeededGenerator) throws {
    let copy = try IndexedStore(catalog: store.catalog, folder: try store.folder.copy())
    var logs = RandomMeasurements(hasTexts: false)
    try copy.ingest(logs.lines(subjects: 600, using: &random))
    do {
      try copy.refresh()
    } catch let error as FunnelError {
      #expect(error.code == .inputOutput)
    }
  }

  @Test func `an index of the version before is not used, and is made anew`() throws {
    try writeForged { put(2, byteCount: 4, at: $0.count - 64 + 8, in: &$0) }
    var old = try store.folder.contents(Self.manifest)
    put(2, byteCount: 4, at: 8, in: &old)
    ForgedRun.signManifest(&old)
    try store.folder.write(old, to: Self.manifest)
    #expect(try rows() == nil)
    let flows = Set(store.catalog.definitions.indices)
    let folded = try IndexOrLog.withSequences(
      of: store.reader(), catalog: store.catalog, query: query, flows: flows, threads: 2
    ) { source throws(FunnelError) in source.measuredKeys }
    #expect(folded.indexedCommit == nil && folded.result == [], "the log is read")
    try store.refresh()
    #expect(try rows() == expected)
    #expect(try store.indexFiles().count { $0.hasSuffix(".fidx") } == 1, "the old run is gone")
  }
}
