import FunnelStore
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

@Suite struct VerificationTests {
  private let folder: TemporaryFolder
  private var store: String { folder.path("store") }

  init() throws {
    folder = try TemporaryFolder()
    let writer = try StoreScenario.writer(folder.path("store"))
    for number in 1...3 { _ = try writer.commit(StoreScenario.batch(number)) }
  }

  @Test func aFlippedBitIsFoundWhereverItIs() throws {
    let parts = try folder.files().filter { $0.hasSuffix(".gz") }
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<200 {
      let name = try #require(parts.randomElement(using: &generator))
      let intact = try folder.contents(name)
      var damaged = intact
      let index = Int.random(in: 0..<intact.count, using: &generator)
      damaged[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      try folder.write(damaged, to: name)
      let findings = try StoreVerification.run(store)
      #expect(
        !findings.isEmpty && findings.allSatisfy { $0.path == folder.path(name) },
        "seed 11, byte \(index) of \(name): \(findings)")
      #expect((findings.first?.offset ?? .max) <= index, "seed 11, byte \(index) of \(name): \(findings)")
      try folder.write(intact, to: name)
    }
    #expect(try StoreVerification.run(store) == [])
  }

  @Test func damagedMembersAreNeverHandedOut() throws {
    let reader = try StoreReader.open(store)
    let member = try #require(try reader.members().first)
    var bytes = try folder.contents("store/\(member.logFile.path)")
    bytes[member.offset + member.header.memberBytes - 6] ^= 1
    try folder.write(bytes, to: "store/\(member.logFile.path)")
    #expect {
      _ = try reader.read(member)
    } throws: { error in
      let path = folder.path("store/\(member.logFile.path)")
      return error as? FunnelError
        == FunnelError(
          .inputOutput,
          "\(path) is damaged at byte 0: a member's checksum does not match, restore it from a backup, or keep what is intact with 'funnel log repair'"
        )
    }
  }

  @Test func aMissingOrShortPartIsNamed() throws {
    let part = try #require(try folder.files().first { $0.hasSuffix(".gz") })
    let bytes = try folder.contents(part)
    try folder.write(bytes.dropLast(), to: part)
    let path = folder.path(part)
    let short =
      "\(path) is damaged: it has \(bytes.count - 1) bytes and should have \(bytes.count), restore it from a backup, or keep what is intact with 'funnel log repair'"
    #expect(throws: FunnelError(.inputOutput, short)) { try StoreReader.open(store) }
    #expect(throws: FunnelError(.inputOutput, short)) { try StoreScenario.writer(store) }
    try folder.remove(part)
    let missing = "\(path) is damaged: it is missing, restore it from a backup, or keep what is intact with 'funnel log repair'"
    #expect(throws: FunnelError(.inputOutput, missing)) { try StoreReader.open(store) }
    #expect(throws: FunnelError(.inputOutput, missing)) { try StoreScenario.writer(store) }
    #expect(try StoreVerification.run(store).map(\.description) == ["\(path): it is missing"])
  }

  @Test func uncoveredBytesBehindAPartAreNoDamage() throws {
    let part = try #require(try folder.files().first { $0.hasSuffix(".gz") })
    try folder.write(try folder.contents(part) + [1, 2, 3], to: part)
    #expect(try StoreVerification.run(store) == [])
    #expect(try StoreReader.open(store).eventCount == 36)
  }

  @Test func progressGoesFromNothingToAll() throws {
    let steps = Guarded<[StoreVerification.Progress]>([])
    _ = try StoreVerification.run(store, threads: 2) { step in steps.withLock { $0.append(step) } }
    let found = steps.withLock { $0 }
    #expect(found.map(\.bytesDone).max() == found.first?.bytesTotal)
    let reader = try StoreReader.open(store)
    let covered = LogFileName.Area.allCases.flatMap { reader.logFiles(of: $0) }.reduce(0) { $0 + $1.bytes }
    #expect(found.first?.bytesTotal == covered)
  }

  @Test func noMoreFindingsAreNamedThanAnybodyReads() throws {
    /// A checker that complains about every record.
    struct Faultfinder: RecordChecker {
      func check(_ lines: [UInt8], in part: LogFileName) -> RecordFindings {
        var findings = RecordFindings()
        findings.complaints = (1...lines.count { $0 == UInt8(ascii: "\n") }).map { .init(record: $0, reason: "it is odd") }
        return findings
      }
    }
    _ = try StoreScenario.writer(store).commit(StoreScenario.batch(4, events: 10_000))
    // The store had 36 events and three dead letters; the batch has another dead letter.
    let findings = try StoreVerification.run(store, checker: Faultfinder(), threads: 2)
    #expect(findings.count == 10_001)
    #expect(findings.last?.description == "\(store): 40 more findings are not listed")
  }
}
