import FunnelStore
import FunnelModel
import FunnelTestSupport
import Testing

/// If a disk silently changes bytes that are written, this is detected before the files that they replace are removed.
@Suite struct ReadBackTests {
  /// A command that rewrites or removes data of a store.
  struct Removal: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var run: @Sendable (ScenarioStore) throws -> Void
  }

  private static let day = CivilDate(year: 2026, month: 11, day: 18)!

  static let removals: [Removal] = [
    .init(testDescription: "forget") { try $0.forget(["s1", "s3"]) },
    .init(testDescription: "forget who is not there") { try $0.forget(["nobody"]) },
    .init(testDescription: "retain") { try $0.retain(from: day) },
    .init(testDescription: "retain as the flows say") {
      try $0.retain(from: day, ofFlows: Array(ScenarioStore.catalog.definitions.indices))
    },
    .init(testDescription: "compact") { try $0.compact() },
  ]

  @Test(arguments: removals, [LyingFileSystem.Place.stream, .header])
  func `nothing goes before what takes its place was read back`(_ removal: Removal, in place: LyingFileSystem.Place) throws {
    let folder = try TemporaryFolder()
    for seed in 1...2 {
      try ScenarioStore(folder: folder.path, disk: FaultyFileSystem()).ingest(ScenarioInput(60, seed: UInt64(seed)))
    }
    let before = try State(ScenarioStore(folder: folder.path))
    let (honest, whole) = (LyingFileSystem(changingWrite: .max), try folder.copy())
    try removal.run(ScenarioStore(folder: whole.path, disk: honest))
    let after = try State(ScenarioStore(folder: whole.path))
    try #require(honest.writes > 0 && after.parts != before.parts)
    for write in 1...honest.writes where Sweeps.isFull || write % max(1, honest.writes / 4) == 0 || write == 1 {
      let copy = try folder.copy()
      let disk = LyingFileSystem(changingWrite: write, in: place)
      let comment: Comment = "\(removal) on a disk that changes the \(place) of member \(write) of \(honest.writes)"
      let error = #expect(throws: FunnelError.self, comment) { try removal.run(ScenarioStore(folder: copy.path, disk: disk)) }
      #expect(disk.hasLied && error?.code == .inputOutput, comment)
      #expect(
        error?.message.hasSuffix(" does not contain what was written to it, so nothing was changed; check disk and memory")
          == true,
        "\(comment): \(error?.message ?? "")")
      #expect(try State(ScenarioStore(folder: copy.path)) == before, comment)
      try removal.run(ScenarioStore(folder: copy.path))
      let again = try State(ScenarioStore(folder: copy.path))
      #expect(again.lines == after.lines && again.report == after.report, comment)
    }
  }

  /// The files and lines of a store, and its report.
  private struct State: Equatable {
    var parts: [String: [UInt8]]
    var lines: [[String]]
    var report: String

    init(_ store: ScenarioStore) throws {
      parts = try DiskTree(of: store.folder).files.filter { $0.key.hasSuffix(".gz") || $0.key.hasSuffix("journal.ndjson") }
      lines = try [.log, .rejected, .snapshots].map { try store.lines($0) }
      report = try store.report()
      guard try store.reportOfLog() == report else { throw Complaint("the index tells something else than the log") }
    }
  }
}
