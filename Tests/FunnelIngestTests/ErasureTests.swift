import FunnelDecoding
import FunnelIngest
import FunnelStore
import FunnelMaintenance
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

/// Forgetting a subject leaves the store as if the subject had never been in it.
@Suite struct ErasureTests {
  private static func line(_ subject: String, _ second: Int) -> String {
    #"{"name":"perm_flow_start","ts":\#(1_795_168_800_000 + second * 1000),"subject":"\#(subject)","app":"cleaner"}"# + "\n"
  }

  @Test func `the example atop Erasure does what it says`() throws {
    let erased = try ErasedStore()
    try erased.ingest([Self.line("s1", 0), Self.line("s2", 1)])
    let (subjects, now) = (["s1"], Timestamp(milliseconds: 1_795_168_900_000))
    let writer = try StoreWriter.open(erased.path, lockTimeout: lockPatience)
    let erasure = Erasure(of: subjects, key: try writer.reader.pseudonymKey(nil as String?))
    let plan = try erasure.plan(in: writer.reader, at: now, threads: 2)
    let outcome = try erasure.apply(plan, on: writer, at: now, threads: 2)
    #expect(plan.events == 1 && outcome.commit != nil && writer.reader.eventCount == 1)
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func theLogIsThatOfAStoreThatNeverHadThem(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let forgotten = Set((0..<12).map { "s\($0)" }.shuffled(using: &random).prefix(Int.random(in: 1...4, using: &random)))
    let (store, other) = (try ErasedStore(), try ErasedStore())
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let lines = RandomEvents.lines(Int.random(in: 1...150, using: &random), using: &random)
      try store.ingest(lines)
      try other.ingest(lines.filter { line in !forgotten.contains { line.contains("\"\($0)\"") } })
    }
    let members = try store.members(of: .log)
    let plan = try store.forget(forgotten.sorted(), threads: Int.random(in: 1...3, using: &random))
    let comment: Comment = "seed \(seed), without \(forgotten.sorted())"
    #expect(try store.lines(of: .log) == other.lines(of: .log), comment)
    #expect(try store.letters() == other.letters(), comment)
    #expect(try store.reader().eventCount == other.reader().eventCount, comment)
    // Members without events of forgotten subjects are unchanged, byte for byte.
    let untouched = members.filter { member in !forgotten.contains { member.text.contains("\"subject\":\"\($0)\"") } }
    let after = Set(try store.members(of: .log).map(\.bytes))
    #expect(untouched.allSatisfy { after.contains($0.bytes) }, comment)
    #expect(plan.logFiles.isEmpty || members.count > untouched.count || plan.deadLetters > 0, comment)
    #expect(try StoreVerification.run(store.path) == [], comment)

    // The stores also stay the same with further ingests.
    let lines = RandomEvents.lines(100, using: &random)
    let summary = try store.ingest(lines)
    try other.ingest(lines.filter { line in !forgotten.contains { line.contains("\"\($0)\"") } })
    #expect(summary.lines == summary.accepted + summary.duplicates + summary.rejected, comment)
    #expect(try store.lines(of: .log) == other.lines(of: .log), comment)
    #expect(try store.letters() == other.letters(), comment)
  }

  @Test func anOldExportDoesNotBringThemBack() throws {
    let store = try ErasedStore()
    let lines = ["ann-1", "bob-1", "ann-10"].map { Self.line($0, 1) }
    let export = lines + [#"{"name":"x","subject":"ann-1"}"# + "\n", "\"ann-1\n", #"{"subject":"\u0061nn-1","ts":"#]
    let before = try store.ingest(export)
    #expect(before.accepted == 3 && before.rejected == 3)
    try store.forget(["ann-1"])
    #expect(try store.lines(of: .log).count == 2 && store.letters().isEmpty)
    for threads in [1, 2] {
      let again = try store.ingest(export, threads: threads)
      #expect(again.accepted == 0 && again.duplicates == 2 && again.rejected == 4 && again.lines == 6)
      #expect(again.rejectedByReason == [.forgotten: 4] && again.rejectRate == 0 && again.commit == nil)
    }
    #expect(try TraceSearch(for: "ann-1\"").traces(in: store.folder, below: "store/") == [])
  }

  @Test func strictnessIsNotOffendedByWhoWasForgotten() throws {
    let store = try ErasedStore()
    try store.forget(["ann-1"])
    let summary = try store.ingest([Self.line("ann-1", 1), Self.line("bob-1", 1)], isStrict: true)
    #expect(summary.accepted == 1 && summary.rejectedByReason == [.forgotten: 1])
    #expect(throws: FunnelError.self) { try store.ingest([Self.line("ann-1", 2), "{"], isStrict: true) }
  }

  /// Rejected lines that contain the subject `inst_4f2a91` or the beginning of it, and some that only look like it.
  @Test(arguments: [
    (#"{"name":"opened","subject":"inst_4f2a91"}"#, true), (#"{"subject":"\u0069nst_4f2a91"#, true),
    (#"{"a":{"b":["inst_4f2a91-77"]}}"#, true), ("inst_4f2a91", true), ("x;inst_4f2a91;y", true),
    (#""{\"subject\":\"inst_4f2a91\"}"#, true), (#"{"subject":"inst_4f2a"#, true), (#"{"subject" : "inst_4f2"#, true),
    ("{\"x\":\"\u{0}i\u{0}n\u{0}s\u{0}t\u{0}_\u{0}4\u{0}f\u{0}2\u{0}a\u{0}9\u{0}1\u{0}\"", true),
    (#"{"subject":"a","user":"inst_4f2a"#, true), (#"{"user":"inst_4f2b"#, false),
    (#"{"subject":"inst_4f2a910"}"#, false), (#"{"subject":"in"#, false), ("yinst_4f2a91", false),
    (#"{"name":"opened","subject":"inst_4f2a92"}"#, false), (#"{"subject":"inst_4f2b"#, false),
  ])
  func aBadLineThatSpeaksOfThemGoes(line: String, goes: Bool) throws {
    let store = try ErasedStore()
    try store.ingest([line, "{"])
    #expect(try store.letters().count == 2)
    let plan = try store.forget(["inst_4f2a91"])
    #expect(plan.deadLetters == (goes ? 1 : 0))
    #expect(try store.letters().map(\.letter.raw).contains(Array(line.utf8)) == !goes)
  }

  @Test func aBadLineThatIsNoTextGoesToo() throws {
    let store = try ErasedStore()
    try store.folder.write(Array("\u{FEFF}".utf8) + [0xFF] + Array("\"inst_4f2a91\"\n".utf8), to: "bad.ndjson")
    try store.ingest(files: ["bad.ndjson"])
    #expect(try store.lines(of: .rejected).first?.contains("raw_base64") == true)
    try store.forget(["inst_4f2a91"])
    #expect(try store.letters().isEmpty)
  }

  @Test func aFileThatBearsTheirNameIsNotNamedAnyMore() throws {
    let store = try ErasedStore()
    try store.folder.write(Array("{\n".utf8), to: "inst_4f2a91.ndjson")
    try store.ingest(files: ["inst_4f2a91.ndjson"])
    try store.forget(["inst_4f2a91"])
    #expect(try store.letters().isEmpty)
    let summary = try store.ingest(files: ["inst_4f2a91.ndjson"])
    #expect(try summary.rejectedByReason == [.forgotten: 1] && store.letters().isEmpty)
  }

  @Test func aRetryDoesNotBringThemBack() throws {
    let store = try ErasedStore()
    // The events are rejected today because they are five days in the future, and accepted six days later.
    try store.ingest([Self.line("ann-1", 5 * 86_400), Self.line("bob-1", 5 * 86_400)])
    #expect(try store.letters().count == 2)
    // The tombstone is written as if by a writer that does not search dead letters.
    let writer = try store.writer()
    var batch = CommitBatch(kind: .forget, at: Decoded.now)
    batch.tombstones[Decoded.now.day] = try Tombstones(of: writer.reader).lines(for: [Array("ann-1".utf8)], at: Decoded.now)
    _ = try writer.commit(batch)
    let summary = try store.retry(on: writer, now: Timestamp(milliseconds: Decoded.now.milliseconds + 6 * 86_400_000))
    #expect(summary.letters == 2 && summary.events.accepted == 1 && summary.forgotten == 1)
    #expect(try store.letters(of: writer.reader).isEmpty && writer.reader.eventCount == 1)
  }

  @Test func subjectsWithEscapesAndOfAnyScriptAreFound() throws {
    let subjects = [#"a"b"#, #"c\d"#, "Ж-1", "😀", "e/f", "{}", "a b", "\u{E000}"]
    let store = try ErasedStore()
    let lines = subjects.map { subject in
      Self.line(subject.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""), 1)
    }
    #expect(try store.ingest(lines).accepted == subjects.count)
    for (number, subject) in subjects.enumerated() {
      #expect(try store.forget([subject]).events == 1, "\(subject)")
      #expect(try store.lines(of: .log).count == subjects.count - number - 1)
    }
    #expect(try store.ingest(lines).rejectedByReason == [.forgotten: subjects.count])
  }

  @Test func othersWhoNameThemStayAndAreCounted() throws {
    let store = try ErasedStore()
    let invited = #"{"name":"opened","ts":1795168800000,"subject":"bob-1","app":"cleaner","props":{"by":"ann-1"}}"#
    try store.ingest([invited, Self.line("ann-1", 1), Self.line("bob-1", 2)])
    let plan = try store.forget(["ann-1"])
    #expect(plan.events == 1 && plan.mentions == 1)
    #expect(try store.lines(of: .log).count == 2)
  }

  private static func line(_ subject: String, _ second: Int, user: String) -> String {
    line(subject, second).replacing(#","app""#, with: #","user":"\#(user)","app""#)
  }

  @Test func `an event whose user is forgotten is kept out, and erased where that is asked for`() throws {
    let lines = [Self.line("a-1", 1, user: "ann"), Self.line("b-1", 2, user: "bob"), Self.line("ann", 3), Self.line("a-1", 4)]
    for includesUsers in [false, true] {
      let store = try ErasedStore()
      try store.ingest(lines)
      let plan = try store.forget(["ann"], includesUsers: includesUsers)
      #expect(plan.events == (includesUsers ? 2 : 1) && plan.mentions == (includesUsers ? 0 : 1))
      let remaining = try store.lines(of: .log)
      #expect(remaining.count == (includesUsers ? 2 : 3))
      #expect(remaining.contains { $0.contains(#""user":"ann""#) } == !includesUsers)
      let again = try store.ingest(lines)
      #expect(again.accepted == 0 && again.duplicates == 2 && again.rejectedByReason == [.forgotten: 2])
    }
  }

  @Test func `a user with escapes is found`() throws {
    let store = try ErasedStore()
    try store.ingest([Self.line(#"a\"1"#, 1, user: #"c\\d\"e"#), Self.line("b", 2)])
    #expect(try store.forget([#"c\d"e"#], includesUsers: true).events == 1)
    #expect(try store.lines(of: .log).count == 1)
  }

  @Test func nothingToDoIsNoCommit() throws {
    let store = try ErasedStore()
    try store.ingest([Self.line("ann-1", 1)])
    try store.forget(["nobody"])
    let commits = try store.reader().commits.count
    #expect(commits == 2)
    let again = try store.forget(["nobody"])
    #expect(again.isEmpty && again.forgottenBeforeCount == 1)
    #expect(try store.reader().commits.count == commits)
  }

  @Test func theOrderOfADayWithManyPartsStays() throws {
    let store = try ErasedStore()
    for round in 0..<6 {
      try store.ingest((0..<20).map { Self.line("u\(($0 * 7 + round) % 9)", $0 + 100 * round) })
    }
    let parts = try store.reader().logFiles(of: .log)
    #expect(parts.count > 3)
    let lines = try store.lines(of: .log)
    let first = try #require(parts.first)
    let plan = try store.forget(["u3"])
    #expect(plan.logFiles.first == first.name)
    #expect(try store.lines(of: .log) == lines.filter { !$0.contains("\"u3\"") })
  }
}
