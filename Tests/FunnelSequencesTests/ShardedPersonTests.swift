import FunnelDecoding
import FunnelIngest
import FunnelModel
import FunnelReports
import FunnelSchemas
import FunnelSequences
import FunnelTestSupport
import Testing

/// Persons with several subjects are counted from shards as from the whole log.
@Suite struct ShardedPersonTests {
  private static let options = DecodingOptions(now: Journeys.now, privacy: BuiltInSchemas.privacy)

  private struct Rows: Equatable {
    let funnel: [FunnelRow]?
    let grants: [GrantRow]?
    let dropoff: [DropoffRow]?
  }

  private let folder: TemporaryFolder
  private let catalog: FlowCatalog

  init() throws {
    folder = try TemporaryFolder()
    catalog = try RandomHistories.catalog()
  }

  private var flows: Set<Int> { Set(catalog.definitions.indices) }

  /// Returns the state of the lines of a file.
  private func state(of name: String, _ query: ReportQuery) throws -> ReportState {
    let selection = ReportSelection.standard
    let prepared = selection.prepared(query, flows: flows.sorted().map { catalog.definitions[$0] })
    var source = SequenceTable.Input.files(
      try InputFile.files(at: [folder.path(name)]), options: Self.options, threads: 2)
    source.hasFingerprint = true
    let (counts, input) = try SequenceTable.withSequences(
      of: source, catalog: catalog, query: prepared, flows: flows, progress: { _ in }
    ) { (table) throws(FunnelError) in
      try FoldedCounts(of: table, catalog: catalog, flows: flows, query: prepared, selection: selection, threads: 2)
    }
    let request = StateRequest(query, flows: [], app: nil, catalog: catalog, selection: selection)
    return ReportState(of: counts, request: request, period: StatePeriod(of: query), input: input)
  }

  /// Returns the rows of the reports that states make together.
  private func rows(of states: [ReportState], _ query: ReportQuery) throws -> Rows {
    var merger = try StateMerger(states[0], name: "0", query: query, catalog: catalog, flows: flows)
    for (number, state) in states.enumerated().dropFirst() { try merger.add(state, name: "\(number)") }
    let report = try merger.report(.standard, query: query, catalog: catalog, flows: flows)
    return Rows(funnel: report.funnel, grants: report.grants, dropoff: report.dropoff)
  }

  /// Distributes the lines of a file to files, and returns their names.
  private func shard(_ name: String, into count: Int, links: LinkedSubjects?) throws -> [String] {
    var bytes: [UInt8] = []
    _ = try Sharding.shard(
      InputFile.files(at: [folder.path(name)]), options: Self.options, catalog: catalog, shardCount: count, links: links,
      threads: 2
    ) { bytes += $0 }
    var shards = [[UInt8]](repeating: [], count: count)
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let tab = try #require(line.firstIndex(of: UInt8(ascii: "\t")))
      let number = try #require(Int(String(decoding: line[..<tab], as: UTF8.self)))
      shards[number] += line[(tab + 1)...] + [UInt8(ascii: "\n")]
    }
    return try shards.enumerated().map { number, lines in
      let name = "shard\(number)of\(count).ndjson"
      try folder.write(lines, to: name)
      return name
    }
  }

  private func links(of name: String) throws -> [UInt8] {
    try Sharding.links(of: InputFile.files(at: [folder.path(name)]), options: Self.options, catalog: catalog, threads: 2).lines
  }

  private func query(using random: inout SeededGenerator) -> ReportQuery {
    var query = ReportQuery(now: Journeys.now)
    if Bool.random(using: &random) {
      query.now = Timestamp(milliseconds: Int64(LinkedLog.start + Int.random(in: 2..<14, using: &random) * 3_600_000))
    }
    query.window = [TimeSpan("1h"), TimeSpan("7d")].randomElement(using: &random) ?? nil
    query.countBy = [nil, .person, .entry, .subject].randomElement(using: &random) ?? nil
    if Bool.random(using: &random) { query.by = [.context("variant")] }
    query.subjectsOfPersonMax = [1000, 1000, 3, 1].randomElement(using: &random) ?? 1000
    return query
  }

  @Test(arguments: Sweeps.seeds(30, sample: 6))
  func `shards made with the links of all inputs count persons as the whole log does`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let log = LinkedLog(Int.random(in: 20...300, using: &random), using: &random)
    let half = log.lines.count / 2
    try folder.write(Array(log.lines.joined(separator: "\n").utf8), to: "all.ndjson")
    try folder.write(Array(log.lines[..<half].joined(separator: "\n").utf8), to: "first.ndjson")
    try folder.write(Array(log.lines[half...].joined(separator: "\n").utf8), to: "second.ndjson")
    // The links of one input may be in several files, in any order.
    try folder.write(links(of: "second.ndjson"), to: "a.links")
    try folder.write(links(of: "first.ndjson"), to: "b.links")
    let links = try LinkedSubjects(readingFiles: [folder.path("a.links"), folder.path("b.links")])
    for count in [1, 2, 5] {
      let names = try shard("all.ndjson", into: count, links: links)
      for _ in 0..<3 {
        let query = query(using: &random)
        let whole = try rows(of: [state(of: "all.ndjson", query)], query)
        let merged = try rows(of: names.map { try state(of: $0, query) }, query)
        #expect(merged == whole, "seed \(seed), \(count) shards: \(query)")
      }
    }
  }

  @Test func `all subjects and users of a chain of links are in one shard`() throws {
    // The links join x1 to x60 in an order in which their sets meet late.
    let pairs = (1..<60).map { ($0, $0 + 1) }.sorted { ($0.0 * 37 % 59) < ($1.0 * 37 % 59) }
    let lines = pairs.map {
      #"{"app":"cleaner","name":"opened","ts":\#(LinkedLog.start),"subject":"x\#($0.0)","user":"x\#($0.1)"}"#
    }
    try folder.write(Array(lines.joined(separator: "\n").utf8), to: "chain.ndjson")
    try folder.write(links(of: "chain.ndjson"), to: "links")
    let links = try LinkedSubjects(readingFiles: [folder.path("links")])
    let shards = try shard("chain.ndjson", into: 50, links: links).filter { try !folder.contents($0).isEmpty }
    #expect(shards.count == 1)
    let apart = try shard("chain.ndjson", into: 50, links: nil).filter { try !folder.contents($0).isEmpty }
    #expect(apart.count > 10)
  }

  @Test func `links are those of the events that can link, sorted and distinct`() throws {
    func event(_ ids: String, app: String = "cleaner") -> String {
      #"{"app":"\#(app)","name":"opened","ts":\#(LinkedLog.start),\#(ids)}"# + "\n"
    }
    let log =
      event(#""subject":"b","user":"u\"1""#) + event(#""subject":"a","user":"u2""#)
      + event(#""subject":"a","user":"u2","seq":1"#)
      + event(#""subject":"c","user":"null""#) + event(#""subject":"anonymous","user":"u2""#) + event(#""subject":"d""#)
      + event(#""subject":"a","user":"u2""#, app: "a_app") + "{\"torn\n"
    try folder.write(Array(log.utf8), to: "log.ndjson")
    let expected = """
      {"app":"a_app","subject":"a","user":"u2"}
      {"app":"cleaner","subject":"a","user":"u2"}
      {"app":"cleaner","subject":"b","user":"u\\"1"}

      """
    #expect(String(decoding: try links(of: "log.ndjson"), as: UTF8.self) == expected)
  }
}
