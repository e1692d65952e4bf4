import FunnelDecoding
import FunnelIngest
import FunnelStore
import FunnelModel
import FunnelSchemas
import FunnelTestSupport
import Testing

/// Decoding, sorting, compressing and flushing are concurrent; the files they write do not depend on their timing.
@Suite struct CommitPipelineTests {
  /// Returns lines of several times the size of a block and of a member, over three years, unsorted, some of one time, some
  /// duplicated.
  private func lines(_ count: Int, using random: inout SeededGenerator) -> [String] {
    let first: Int64 = 1_700_000_000_000
    return (0..<count).flatMap { number in
      let time = first + Int64.random(in: 0..<27, using: &random) * 3_456_000_000 + Int64.random(in: 0..<50, using: &random)
      let noise = (0..<40).map { _ in String(UInt64.random(in: 0 ... .max, using: &random), radix: 36) }.joined()
      let line = Line.with(["ts": "\(time)", "id": "\"\(number)\"", "props": "{\"noise\":\"\(noise)\"}"])
      return [String](repeating: line, count: number % 10 == 0 ? 2 : 1)
    }
  }

  @Test(arguments: [2 << 20, 1 << 30])
  func `the files of the log are the same bytes for any number of threads`(commitRawBytesTarget: Int) throws {
    var random = SeededGenerator(seed: 5)
    let text = lines(8000, using: &random).shuffled(using: &random).joined(separator: "\n")
    var found: [[String: [UInt8]]] = []
    for threads in [1, 2, 3, 7] {
      let store = try Store()
      let summary = try store.ingest([text], threads: threads, commitRawBytesTarget: commitRawBytesTarget)
      #expect(summary.accepted == 8000)
      #expect(summary.duplicates == 800)
      var files: [String: [UInt8]] = [:]
      for name in try store.folder.files() where name.hasPrefix("store/log/") {
        files[name] = try store.folder.contents(name)
      }
      found.append(files)
    }
    #expect(found[0].count > 20)
    for other in found.dropFirst() {
      #expect(other.keys.sorted() == found[0].keys.sorted(), "seed 5")
      for (name, bytes) in other {
        let isSame = bytes == found[0][name]
        #expect(isSame, "seed 5, \(name)")
      }
    }
  }

  @Test func `a day's records stand in the order of time and then of bytes`() throws {
    var random = SeededGenerator(seed: 6)
    let store = try Store()
    try store.ingest([lines(3000, using: &random).joined(separator: "\n")], threads: 3)
    let reader = try store.reader()
    var days: [CivilDate: [String]] = [:]
    for member in try reader.members() {
      days[member.logFile.day, default: []] += String(decoding: try reader.read(member), as: UTF8.self)
        .split(separator: "\n").map(String.init)
    }
    #expect(days.count > 20)
    #expect(days.values.reduce(0) { $0 + $1.count } == 3000)
    for (day, records) in days {
      #expect(records.allSatisfy { $0.contains("\"ts\":\"\(day)T") })
      // The fields have a fixed order and all names are equal, so records sorted by their bytes are sorted by time.
      #expect(records == records.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }, "seed 6, \(day)")
    }
  }

  @Test func `a commit that fails beside the reading stops the ingest, and what was committed before it stays`() throws {
    var random = SeededGenerator(seed: 7)
    let folder = try TemporaryFolder()
    try folder.write(Array(lines(8000, using: &random).joined(separator: "\n").utf8), to: "events.ndjson")
    let options = Ingestor.Options(
      decoding: DecodingOptions(now: Decoded.now, privacy: BuiltInSchemas.privacy), threads: 3, commitRawBytesTarget: 1 << 20)
    let counter = FaultyFileSystem()
    func ingest(_ path: String, _ fileSystem: FaultyFileSystem) throws -> IngestSummary {
      let writer = try StoreWriter.open(path, lockTimeout: lockPatience, fileSystem: fileSystem)
      return try Ingestor(into: writer, catalog: Decoded.builtIn, options: options)
        .ingest(try InputFile.files(at: [folder.path("events.ndjson")]))
    }
    let commits = try #require(try ingest(folder.path("whole"), counter).commit)
    #expect(commits >= 3)
    let full = FaultyFileSystem(.failures(fromCall: counter.calls / 2))
    let error = #expect(throws: FunnelError.self) { try ingest(folder.path("broken"), full) }
    #expect(error?.code == .inputOutput)
    let reader = try StoreReader.open(folder.path("broken"))
    #expect((1..<commits).contains(reader.commits.count))
    #expect(try StoreVerification.run(folder.path("broken")) == [])
    let summary = try ingest(folder.path("broken"), FaultyFileSystem())
    #expect(summary.eventsInStore == 8000)
    #expect(summary.duplicates == 800 + reader.eventCount)
  }
}
