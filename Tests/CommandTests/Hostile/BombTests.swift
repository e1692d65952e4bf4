import Foundation
import FunnelTestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Inputs that expand when they are read take bounded memory. They are handled, or an error names the limit they exceed.
@Suite(.serialized) struct BombTests {
  /// The limit of peak memory, unless an input has its own. It is higher in usual test runs, where a slow debug build on a
  /// busy machine frees memory later.
  private static let peakMebibytesMax = Sweeps.isFull ? 128 : 160
  private let work: Workplace
  private var store: String { work.folder.path("store") }

  init() throws { work = try Workplace() }

  @Test(arguments: Bomb.all)
  func `an ingest, a report and a night take bounded memory`(_ bomb: Bomb) throws {
    let file = work.folder.path("inbox/bomb.\(bomb.ending)")
    try FileManager.default.createDirectory(atPath: work.folder.path("inbox"), withIntermediateDirectories: true)
    try bomb.write(to: file)
    let peak = Sweeps.isFull ? bomb.fullPeakMebibytesMax : Self.peakMebibytesMax
    let ingest = try run(["ingest", file, "--store", store], peakMebibytesMax: peak)
    #expect(ingest.output.contains(bomb.says), "\(ingest.output)\(ingest.errors)")
    _ = try run(["report", file], peakMebibytesMax: peak)
    let night = try run(
      [
        "nightly", "--inbox", work.folder.path("inbox"), "--out", work.folder.path("out"), "--store", work.folder.path("night"),
      ],
      peakMebibytesMax: peak)
    #expect([0, 65].contains(night.status), "\(night.errors)")
  }

  @Test(arguments: [true, false])
  func `one line without an end comes from a pipe`(isCompressed: Bool) throws {
    let mebibytes = Sweeps.isFull ? 5 << 10 : 192
    let feed = "head -c \(mebibytes)M /dev/zero | tr '\\0' 'x'\(isCompressed ? " | gzip -1" : "")"
    let ingest = try run("ingest", "-", "--store", store, feeding: feed)
    #expect(ingest.output.contains(isCompressed ? "rejected" : "1 line_too_long"), "\(ingest.output)\(ingest.errors)")
  }

  @Test func `a flow definition of a gigabyte is refused at once`() throws {
    try work.write("", to: "schemas/big.json")
    #expect(truncate(work.folder.path("schemas/big.json"), 1 << 30) == 0)
    for arguments in [
      ["report", "--schemas", work.folder.path("schemas"), work.folder.path("schemas")],
      ["schema", "check", work.folder.path("schemas")],
      ["schema", "list", "--schemas", work.folder.path("schemas")],
    ] {
      let refused = try run(arguments)
      #expect(refused.status == 78 && refused.errors.contains("larger than 4194304 bytes"), "\(refused.errors)")
      #expect(refused.seconds < 5)
    }
  }

  @Test func `a flow definition nested a million deep is refused`() throws {
    try work.write(String(repeating: "[", count: 1_000_000), to: "schemas/deep.json")
    let refused = try run(["schema", "check", work.folder.path("schemas")])
    #expect(refused.status == 78 && refused.output.contains("nested deeper than 64 levels"), "\(refused.output)")
  }

  @Test func `a store's own files may claim what they like`() throws {
    try work.write(LogLine.completedRun("s1"), to: "log.ndjson")
    #expect(try run("ingest", work.folder.path("log.ndjson"), "--store", store).status == 0)
    let journal = "\(store)/log/journal.ndjson"
    let part = "\(store)/log/dt=2026-11-20/part-00000.ndjson.gz"
    let whole = (journal: try Data(contentsOf: URL(filePath: journal)), part: try Data(contentsOf: URL(filePath: part)))
    // The journal, a flow definition or the manifest becomes a sparse file of 3 GiB, or a member's header flowMatches a compressed
    // or uncompressed length of 4 GiB.
    let attacks: [(String, () throws -> Void)] = [
      ("journal", { truncate(journal, 3 << 30) }),
      (
        "definition",
        {
          try work.write("", to: "store/schemas/x.json"); truncate("\(store)/schemas/x.json", 3 << 30)
        }
      ),
      ("member", { try Self.patch(part, whole.part, at: 20) }), ("raw", { try Self.patch(part, whole.part, at: 24) }),
      ("manifest", { truncate("\(store)/index/manifest", 3 << 30) }),
    ]
    for (name, attack) in attacks {
      try whole.journal.write(to: URL(filePath: journal))
      try whole.part.write(to: URL(filePath: part))
      try attack()
      for command in [["log", "cat"], ["report"], ["ingest", work.folder.path("log.ndjson")]] {
        let result = try run(command + ["--store", store])
        #expect([0, 74].contains(result.status), "\(name), \(command): \(result)")
        // Reports and ingests may succeed, because they read the index instead of the log.
        let mustRefuse = command[0] == "log" && ["journal", "member", "raw"].contains(name)
        #expect(result.status == 74 || !mustRefuse, "\(name), \(command): \(result)")
      }
      try? FileManager.default.removeItem(atPath: "\(store)/schemas/x.json")
    }
  }

  @Test func `very many files in a folder are read, or refused by the limit`() throws {
    let count = Sweeps.isFull ? 1_000_000 : 2_000
    let folder = work.folder.path("many")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for number in 0..<count { close(open("\(folder)/\(number).ndjson", O_CREAT | O_WRONLY, 0o600)) }
    let result = try run("ingest", folder, "--store", store)
    if Sweeps.isFull {
      #expect(result.status == 65 && result.errors.contains("one command reads at most 262144"), "\(result.errors)")
      #expect(result.seconds < 5)
    } else {
      #expect(result.output.contains("from 2,000 inputs"), "\(result.output)\(result.errors)")
    }
  }

  @Test func `folders in one another are searched to the limit`() throws {
    let deep = work.folder.path("deep/" + String(repeating: "d/", count: 70))
    try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
    try Data("{}\n".utf8).write(to: URL(filePath: "\(deep)/a.ndjson"))
    let result = try run("ingest", work.folder.path("deep"), "--store", store)
    #expect(result.status == 65 && result.errors.contains("nested deeper than 64 levels"), "\(result.errors)")
    let night = try run(
      "nightly", "--inbox", work.folder.path("deep"), "--out", work.folder.path("out"), "--store", store)
    #expect(night.errors.contains("nested deeper than 64 levels"), "\(night.errors)")
  }

  /// Tests the measurement that the other tests rely on.
  @Test func `a run that takes too much memory or time is noticed`() throws {
    try work.write((0..<40_000).map { LogLine.event("perm_flow_start", "s\($0)") }.joined(), to: "log.ndjson")
    let run = try MeasuredRun(["report", work.folder.path("log.ndjson"), "--now", "2026-11-22"])
    #expect(run.peakBytes > 8 << 20 && run.peakBytes < 1 << 30)
    let slow = try MeasuredRun(["ingest", "-", "--store", store], feeding: "sleep 30", secondsMax: 0.2)
    #expect(slow.isTimedOut && slow.status == 137)
  }

  private func run(_ arguments: String..., feeding script: String? = nil) throws -> MeasuredRun {
    try run(arguments, feeding: script)
  }

  private func run(
    _ arguments: [String], feeding script: String? = nil, peakMebibytesMax: Int = peakMebibytesMax
  ) throws -> MeasuredRun {
    let takesNow = ["ingest", "report", "nightly"].contains(arguments[0])
    let run = try MeasuredRun(
      arguments + (takesNow ? ["--now", "2026-11-22T12:00:00Z"] : []), feeding: script)
    #expect(!run.isTimedOut && run.status < 128, "\(arguments): \(run.errors)")
    #expect(run.peakBytes <= peakMebibytesMax << 20 || isSanitized, "\(arguments) took \(run.peakBytes >> 20) MiB")
    return run
  }

  /// Writes a part in which a member's header flowMatches a length of 4 GiB less one byte.
  private static func patch(_ path: String, _ bytes: Data, at offset: Int) throws {
    var bytes = bytes
    bytes.replaceSubrange(offset..<offset + 4, with: [0xFF, 0xFF, 0xFF, 0xFF])
    try bytes.write(to: URL(filePath: path))
  }
}
