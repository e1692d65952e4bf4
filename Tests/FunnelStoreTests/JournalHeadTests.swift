import FunnelStore
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

/// A journal that lacks commits that were made is damaged, though each of its lines is sound.
@Suite struct JournalHeadTests {
  private let folder: TemporaryFolder
  private static let journal = "store/log/journal.ndjson"
  private static let head = "store/log/journal.head"
  private var store: String { folder.path("store") }
  /// The journal and the head before the first commit and after each.
  private let states: [(journal: [UInt8], head: [UInt8])]

  init() throws {
    folder = try TemporaryFolder()
    let writer = try StoreScenario.writer(folder.path("store"))
    var states = [(try folder.contents(Self.journal), try folder.contents(Self.head))]
    for number in 1...4 {
      var batch = StoreScenario.batch(number, events: 2)
      // A later journal covers fewer parts than an older one.
      if number == 3 { batch.removed = [try #require(writer.reader.logFiles(of: .rejected).first).name] }
      _ = try writer.commit(batch)
      states.append((try folder.contents(Self.journal), try folder.contents(Self.head)))
    }
    self.states = states
  }

  private func error(_ body: () throws -> some Any) -> FunnelError? {
    do {
      _ = try body()
      return nil
    } catch {
      return error as? FunnelError
    }
  }

  private func bytes() throws -> [String: [UInt8]] {
    Dictionary(uniqueKeysWithValues: try folder.files().map { ($0, try folder.contents($0)) })
  }

  /// Expects that readers and writers refuse the store, that a verification reports it, and that nothing is changed.
  private func expectRefused(_ reason: String, _ what: String) throws {
    let before = try bytes()
    let message =
      "the store's journal \(folder.path(Self.journal)) is damaged: \(reason), restore it from a backup, or keep what is intact with 'funnel log repair'"
    #expect(error { try StoreReader.open(store) } == FunnelError(.inputOutput, message), "\(what)")
    #expect(error { try StoreScenario.writer(store) } == FunnelError(.inputOutput, message), "\(what)")
    let places = try StoreReader.openTolerating(store).damage?.entries
    #expect(
      places?.first { $0.path == "log/journal.ndjson" }?.reason
        == "\(reason), and what else was committed is unknown", "\(what)")
    let finding = try StoreVerification.run(store).first?.description
    #expect(finding?.hasSuffix(": \(reason); what else was committed could not be verified") == true, "\(what)")
    #expect(try bytes() == before, "\(what)")
  }

  /// Expects that the store is sound, and that the next writer writes the correct head.
  private func expectRenewed(_ what: String) throws {
    let whole = StoreScenario.lines(of: (1...4).map { StoreScenario.batch($0, events: 2) })
    #expect(try StoreScenario.lines(store).sorted() == whole, "\(what)")
    #expect(try StoreVerification.run(store) == [], "\(what)")
    #expect(try StoreScenario.writer(store).recovery == nil, "\(what)")
    #expect(try folder.contents(Self.head) == states[4].head, "\(what)")
  }

  @Test func `the head is a line of JSON, always as long, that speaks of the last commit`() throws {
    let commits = try StoreReader.open(store).commits
    for (number, state) in states.enumerated() {
      #expect(state.head.count == 256 && state.head.last == UInt8(ascii: "\n"))
      let document = try JSONDocument(parsing: state.head.dropLast()).root
      #expect(document.object?.map(\.key) == ["v", "commit", "bytes", "hash", "sha256"])
      #expect(document["v"]?.integer == 1 && document["commit"]?.integer == Int64(number))
      #expect(document["bytes"]?.integer == Int64(state.journal.count))
      #expect(document["hash"]?.string == (number == 0 ? String(repeating: "0", count: 64) : commits[number - 1].hash))
      let line = state.head.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\n") }
      #expect(document["sha256"]?.string == PlainSHA256.hexadecimal(Array(line.dropLast(77))))
    }
  }

  @Test func `a journal that was cut at the end of any line, or replaced by an older one, is refused, and nothing is cut`()
    throws
  {
    for number in 0..<4 {
      let end =
        number == 0 ? "it has no commit" : "it ends with commit \(number) at byte \(states[number].journal.count)"
      try folder.write(states[number].journal, to: Self.journal)
      try expectRefused(
        "\(end), but log/journal.head records commit 4, up to byte \(states[4].journal.count)", "after commit \(number)")
    }
  }

  @Test func `a journal that was cut anywhere is refused, and nothing is cut`() throws {
    for length in stride(from: 0, to: states[4].journal.count, by: 37) {
      try folder.write(Array(states[4].journal.prefix(length)), to: Self.journal)
      let before = try bytes()
      #expect(error { try StoreReader.open(store) }?.code == .inputOutput, "\(length) bytes")
      #expect(error { try StoreScenario.writer(store) }?.code == .inputOutput, "\(length) bytes")
      #expect(try bytes() == before, "\(length) bytes")
    }
  }

  @Test func `a journal of another store is refused`() throws {
    let other = try TemporaryFolder()
    let writer = try StoreScenario.writer(other.path("store"))
    for number in 11...15 { _ = try writer.commit(StoreScenario.batch(number, events: 2)) }
    try folder.write(other.contents(Self.journal), to: Self.journal)
    try expectRefused("its commit 4 is not the one that log/journal.head records", "more commits")
  }

  @Test func `a journal that is gone is missed even where there are no parts`() throws {
    let empty = try TemporaryFolder()
    do { _ = try StoreScenario.writer(empty.path("store")).commit(CommitBatch(kind: .ingest, at: StoreScenario.now)) }
    #expect(try empty.files().filter { $0.hasSuffix(".gz") } == [])
    try empty.remove(Self.journal)
    for attempt in [
      { _ = try StoreReader.open(empty.path("store")) }, { _ = try StoreScenario.writer(empty.path("store")) },
      { _ = try StoreReader.openIfThere(empty.path("store")) }, { try StoreReader.requireStore(empty.path("store")) },
    ] {
      let error = error(attempt)
      #expect(error?.code == .inputOutput && error?.message.contains("is missing although the store is not empty") == true)
    }
    #expect(try !empty.files().contains(Self.journal))
    // The head still marks the folder as a store; without the head, nothing does.
    #expect(StoreReader.isStore(empty.path("store")))
    try empty.remove(Self.head)
    #expect(try !StoreReader.isStore(empty.path("store")) && StoreReader.openIfThere(empty.path("store")) == nil)
  }

  @Test func `a head that is missing, behind or torn changes nothing and is renewed`() throws {
    try folder.remove(Self.head)
    try expectRenewed("missing")
    for number in 0..<4 {
      try folder.write(states[number].head, to: Self.head)
      try expectRenewed("behind, commit \(number)")
    }
    let whole = states[4].head
    for length in stride(from: 0, to: 256, by: 5) {
      try folder.write(Array(whole.prefix(length)), to: Self.head)
      try expectRenewed("\(length) bytes of it")
      try folder.write(Array(whole[..<length]) + [UInt8](repeating: 0, count: 256 - length), to: Self.head)
      // The head ends in spaces, so the zeros may replace padding only.
      try expectRenewed("\(length) bytes of it and zeros")
      try folder.write(Array(whole[..<length] + states[3].head[length...]), to: Self.head)
      try expectRenewed("\(length) bytes of it over the one before")
    }
    try folder.write(whole + whole, to: Self.head)
    try expectRenewed("too long")
    try folder.write(Array(String(decoding: whole, as: UTF8.self).replacing("\"v\":1", with: "\"v\":2").utf8), to: Self.head)
    try expectRenewed("of another version")
  }

  @Test func `no bit flipped in the head is taken for another commit`() throws {
    for bit in 0..<256 * 8 {
      var bytes = states[4].head
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      try folder.write(bytes, to: Self.head)
      #expect(throws: Never.self, "bit \(bit)") { try StoreReader.open(store) }
    }
    try expectRenewed("the last bit flipped")
  }

  @Test func `a head of another store is taken for damage`() throws {
    let other = try TemporaryFolder()
    let writer = try StoreScenario.writer(other.path("store"))
    _ = try writer.commit(StoreScenario.batch(11))
    try folder.write(other.contents(Self.head), to: Self.head)
    try expectRefused("its commit 1 is not the one that log/journal.head records", "another store's")
  }

  @Test func `a commit whose head can't be written is made, and the next writer writes the head`() throws {
    let counter = FaultyFileSystem()
    let copy = try folder.copy()
    _ = try StoreScenario.writer(copy.path("store"), counter).commit(StoreScenario.batch(5))
    let after = try copy.contents(Self.head)
    for fault in [FaultyFileSystem.Fault.failure(atCall: counter.calls), .halfDone(atCall: counter.calls)] {
      let copy = try folder.copy()
      let writer = try StoreScenario.writer(copy.path("store"), FaultyFileSystem(fault))
      #expect(try writer.commit(StoreScenario.batch(5)).number == 5)
      _ = consume writer
      #expect(try copy.contents(Self.head) != after, "\(fault)")
      #expect(try StoreReader.open(copy.path("store")).commits.count == 5)
      #expect(try StoreScenario.writer(copy.path("store")).recovery == nil)
      #expect(try copy.contents(Self.head).prefix(200) != states[4].head.prefix(200), "\(fault)")
    }
  }

  @Test func `a writer that can't write the head when it opens a store says so`() throws {
    try folder.write(states[3].head, to: Self.head)
    let counter = FaultyFileSystem()
    let copy = try folder.copy()
    do { _ = try StoreScenario.writer(copy.path("store"), counter) }
    // The last call of opening the store, which writes the head, is the one that fails.
    let fileSystem = FaultyFileSystem(.failure(atCall: counter.calls))
    #expect(error { try StoreScenario.writer(store, fileSystem) }?.message == "failed by the test: No space left on device")
    try expectRenewed("afterwards")
  }

  /// A commit between the two reads must make the journal newer than the head, not the head newer than the journal.
  @Test func `the head is read before the journal`() throws {
    for open in [{ _ = try StoreReader.open($0, fileSystem: $1) }, { _ = try StoreScenario.writer($0, $1) }]
      as [(String, any FileSystem) throws -> Void]
    {
      let disk = SimulatedDisk(try DiskModel(folder: folder.path))
      try open(store, disk)
      let reads = disk.calls.filter { $0.name == "read" }.map(\.path)
      let head = try #require(reads.firstIndex { $0.hasSuffix("journal.head") })
      let journal = try #require(reads.firstIndex { $0.hasSuffix("journal.ndjson") })
      #expect(head < journal)
    }
  }

  @Test func `what a first commit left that was broken off is cut, but parts beside an empty journal and no head are kept`()
    throws
  {
    try folder.write([], to: Self.journal)
    try folder.write(states[0].head, to: Self.head)
    let kept = try folder.copy()
    #expect(try StoreReader.open(store).eventCount == 0)
    #expect(try StoreScenario.writer(store).recovery?.contains("removed what an interrupted command left") == true)
    #expect(try folder.files().filter { $0.hasSuffix(".gz") } == [])
    for head in [nil, [UInt8](repeating: 0, count: 256)] {
      let copy = try kept.copy()
      try copy.remove(Self.head)
      if let head { try copy.write(head, to: Self.head) }
      let files = try copy.files()
      for attempt in [
        { _ = try StoreReader.open(copy.path("store")) }, { _ = try StoreScenario.writer(copy.path("store")) },
      ] {
        let error = error(attempt)
        #expect(
          error?.code == .inputOutput
            && error?.message.contains("is damaged: it has no commit, but there are parts, ") == true)
      }
      #expect(try copy.files() == files)
    }
  }
}
