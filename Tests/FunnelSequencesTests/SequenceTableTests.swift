import FunnelDecoding
import FunnelIngest
import FunnelSequences
import FunnelModel
import FunnelTestSupport
import Testing

/// The histories of raw files are the same from memory and from a temporary file, and the same as those of a store.
@Suite(.serialized) struct HistoryTableTests {
  /// A difficulty in a log, which determines the data that must be kept of its events.
  enum Trouble: CaseIterable {
    case none
    /// Events of one moment, ordered by `seq`, step and id.
    case ties
    /// Events with the same identity and time, but different content.
    case conflicts
  }

  struct Question: CustomStringConvertible {
    var countBy: FlowDefinition.CountBy
    var by: [Dimension]
    var trouble: Trouble

    var description: String { "\(trouble), by \(countBy), \(by.count) dimensions" }

    static let all = [FlowDefinition.CountBy.subject, .attempt].flatMap { countBy in
      [[], [Dimension.property("n"), .context("variant")]].flatMap { by in
        Trouble.allCases.map { Question(countBy: countBy, by: by, trouble: $0) }
      }
    }
  }

  /// Returns many events of few subjects, so that partitions exceed what they may keep in memory.
  private func lines(_ count: Int, _ trouble: Trouble, using random: inout SeededGenerator) -> [String] {
    let names = ["start", "photos_granted", "photos_denied", "contacts_pre_prompt_shown", "contacts_granted", "completed"]
    var lines = (0..<count).map { number in
      let name = number % 6 == 0 ? "flow_start" : number % 6 == 5 ? "flow_completed" : names[number % 6]
      // Times are rarely at a whole second, and increase for each subject; some events have no attempt.
      var time = number * 137 + 1
      if trouble == .ties { time = time / 2000 * 1000 + number % 3 }
      var more = ["\"subject\":\"s\(number % 3)\"", "\"ctx\":{\"variant\":\"\(number % 2)\"}"]
      if number > count / 2 { more.append("\"attempt\":\"a\(number / 500)\"") }
      if trouble == .ties, number % 4 == 0 { more.append("\"seq\":\(number % 5)") }
      if number % 3 == 0 { more.append("\"id\":\"i\(number)\"") }
      return Journeys.event("n\(number % 40)", "perm_\(name)", at: time, more.joined(separator: ","))
    }
    if trouble == .conflicts {
      for number in stride(from: 0, to: count, by: 9) {
        let more =
          "\"subject\":\"s\(number % 3)\",\"ctx\":{\"variant\":\"\(Int.random(in: 2..<9, using: &random))\"},\"id\":\"i\(number)\""
        let name = number % 6 == 0 ? "flow_start" : names[number % 6]
        lines.append(Journeys.event("m", "perm_\(name)", at: number * 137 + 1, more))
      }
    }
    return lines
  }

  @Test(arguments: Question.all)
  func `what went to a temporary file is handed out as if it had stayed in memory`(question: Question) throws {
    let seed: UInt64 = 5
    var random = SeededGenerator(seed: seed)
    let lines = lines(4800, question.trouble, using: &random)
    var query = ReportQuery(now: Journeys.now)
    query.countBy = question.countBy
    query.by = question.by
    let expected = try FileHistories([lines.joined(separator: "\n")], query: query)
    #expect(expected.sequences.count == 3)
    for threads in Sweeps.isFull ? [1, 2, 5] : [[1, 2, 5].randomElement(using: &random)!] {
      let texts = lines.shuffled(using: &random).texts(Int.random(in: 1...4, using: &random))
      let found = try FileHistories(texts, query: query, threads: threads, memoryBytesMax: 1)
      #expect(found.sequences == expected.sequences, "seed \(seed), \(threads) threads")
      #expect(found.counts == expected.counts, "seed \(seed), \(threads) threads")
      #if os(Linux)
        #expect(found.hasSpilled)
      #endif
    }
  }

  @Test func `what fits into memory makes no temporary file`() throws {
    var random = SeededGenerator(seed: 6)
    let lines = lines(1500, .ties, using: &random)
    #expect(try !FileHistories(lines.texts(2), query: ReportQuery(now: Journeys.now), threads: 2).hasSpilled)
  }

  @Test(arguments: Sweeps.seeds(8, sample: 4))
  func `files have the histories of the store that takes them in`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let catalog = try RandomHistories.catalog()
    let lines = RandomHistories.lines(400, using: &random)
    let store = try IndexedStore(catalog: catalog)
    try store.ingest(lines)
    for threads in [1, 2, 5] {
      let query = RandomHistories.query(using: &random)
      let flows = Set(catalog.definitions.indices)
      let log = try SequenceTable.ofLog(store.reader(), catalog: catalog, query: query, flows: flows, threads: threads)
      let expected = try HistoryTexts.all(of: log, query: query, catalog: catalog)
      let texts = lines.shuffled(using: &random).texts(Int.random(in: 1...5, using: &random))
      let found = try FileHistories(texts, catalog: catalog, query: query, threads: threads, memoryBytesMax: 1)
      #expect(found.sequences == expected, "seed \(seed), \(threads) threads, \(query)")
      #expect(found.counts.lines == lines.count, "seed \(seed), \(threads) threads")
    }
  }

  /// 300 events, each at a time of its own.
  private let plain = (0..<300).map {
    Journeys.event("\($0)", "perm_photos_granted", at: $0 * 1777 + 5, "\"id\":\"i\($0)\",\"subject\":\"s\($0 % 7)\"")
  }

  private func handings(with lines: [String], by: [Dimension] = [.property("n")]) throws -> Int {
    var query = ReportQuery(now: Journeys.now)
    query.by = by
    let forward = try FileHistories((plain + lines).texts(1), query: query)
    let backward = try FileHistories((plain + lines).reversed().texts(3), query: query, threads: 2)
    #expect(forward.sequences == backward.sequences)
    #expect(forward.counts == backward.counts)
    return forward.handings
  }

  @Test func `files are read again only where events of one moment must be told apart`() throws {
    #expect(try handings(with: []) == 1)
    let repeated = [Journeys.event("0", "perm_photos_granted", at: 5, #""id":"i0","subject":"s0""#)]
    #expect(try handings(with: repeated) == 1)
    let later = [Journeys.event("x", "perm_photos_granted", at: 6, #""id":"i0","subject":"s0""#)]
    #expect(try handings(with: later) == 1)
    let besides = [Journeys.event("x", "perm_photos_granted", at: 5, #""id":"x","subject":"s0""#)]
    #expect(try handings(with: besides) == 2)
    #expect(try handings(with: besides, by: []) == 1)
    let otherKind = [Journeys.event("x", "perm_photos_denied", at: 5, #""id":"x","subject":"s0""#)]
    #expect(try handings(with: otherKind, by: []) == 2)
    let otherContent = [Journeys.event("x", "perm_photos_granted", at: 5, #""id":"i0","subject":"s0""#)]
    #expect(try handings(with: otherContent) == 3)
    #expect(try handings(with: otherContent, by: []) == 1)
  }

  @Test func `clocks of whole seconds and counted events are read once, with what tells them apart`() throws {
    let wholeSeconds = (0..<200).map {
      Journeys.event("\($0)", ["perm_flow_start", "perm_photos_granted"][$0 % 2], at: $0 / 3 * 1000, "\"id\":\"i\($0)\"")
    }
    let counted = (0..<200).map {
      Journeys.event("\($0)", ["perm_flow_start", "perm_photos_granted"][$0 % 2], at: $0 / 3 * 7, "\"seq\":\($0 % 3)")
    }
    for lines in [wholeSeconds, counted] {
      var query = ReportQuery(now: Journeys.now)
      query.by = [.property("n")]
      let found = try FileHistories(lines.reversed().texts(2), query: query, threads: 2)
      #expect(found.handings == 1)
      #expect(found.sequences == (try FileHistories(lines.texts(1), query: query)).sequences)
      #expect(found.sequences.count == 1)
      #expect(found.sequences.first?.split(separator: "\n").count == 200)
    }
    // Events with a `seq` are in its order.
    var query = ReportQuery(now: Journeys.now)
    query.by = [.property("n")]
    let sequence = try #require(FileHistories(counted.reversed().texts(1), query: query).sequences.first)
    let numbers = sequence.split(separator: "\n").compactMap { line in
      line.split { !$0.isNumber }.last.flatMap { Int($0) }
    }
    #expect(numbers == Array(0..<200), "\(numbers)")
  }
}
