import FunnelCollect
import FunnelModel
import FunnelSystem
import FunnelTestSupport
import Testing

@Suite struct SpoolTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder(isInMemory: true)
  }

  private func spool(_ change: (inout SpoolSettings) -> Void = { _ in }) throws -> Spool {
    var settings = SpoolScenario.settings()
    change(&settings)
    return try Spool(folder: folder.path("spool"), settings: settings)
  }

  private func names() throws -> [String] { try folder.files().filter { !$0.contains("/.") } }

  @Test func `a batch is in the open file when it is acknowledged`() throws {
    let spool = try spool()
    let batch = SpoolScenario.batch(3)
    #expect(spool.append(batch).isSuccess)
    let names = try names()
    #expect(names.count == 2)
    #expect(names.allSatisfy { $0.hasSuffix(".ndjson.part") })
    #expect(names[0].hasPrefix("spool/collect-2026-11-20T"))
    #expect(names[1].hasPrefix("spool/rejected/collect-2026-11-20T"))
    #expect(try folder.contents(names[0]) == batch.events)
    #expect(try folder.contents(names[1]) == batch.deadLetters)
    #expect(try spool.finishedFiles() == [])
    spool.close()
    #expect(try self.names() == names.map { String($0.dropLast(".part".count)) })
    #expect(try spool.finishedFiles().map(\.description) == self.names().map(folder.path))
  }

  @Test func `an empty batch is acknowledged and creates no file`() throws {
    let spool = try spool()
    #expect(spool.append(SpoolBatch(events: [])).isSuccess)
    #expect(try names() == [])
    #expect(spool.statistics == SpoolStatistics(bytes: 0, flushCount: 0, secondsBehind: 0))
  }

  @Test func `a file is finished at its size and at its age, without another batch`() throws {
    let spool = try spool { $0.fileBytesTarget = 100 }
    for number in 1...8 { #expect(spool.append(SpoolScenario.batch(number)).isSuccess) }
    spool.close()
    let files = try spool.finishedFiles()
    #expect(files.count(where: { $0.parent.name == "spool" }) > 2)
    let lines = try files.flatMap { try SpoolScenario.lines(folder.contents("spool/" + $0.inside)) }
    #expect(lines.filter { $0.contains("event") } == (1...8).flatMap { SpoolScenario.lines(SpoolScenario.batch($0).events) })

    let aged = try self.spool { $0.fileAgeMax = TimeSpan(milliseconds: 30) }
    #expect(aged.append(SpoolScenario.batch(9)).isSuccess)
    let deadline = ContinuousClock.now + .seconds(20)
    while try names().contains(where: { $0.hasSuffix(".part") }), .now < deadline {}
    #expect(try !names().contains { $0.hasSuffix(".part") })
  }

  @Test func `a full spool refuses batches, finishes its file and accepts others once files were removed`() throws {
    let batch = SpoolScenario.batch(1)
    let spool = try spool { $0.limitBytes = 2 * batch.byteCount + 1 }
    #expect(spool.append(batch).isSuccess)
    #expect(spool.append(batch).isSuccess)
    #expect(spool.append(batch).failure == .full)
    let files = try spool.finishedFiles()
    #expect(files.count == 1)
    #expect(spool.statistics.bytes == 2 * batch.byteCount)
    try folder.remove("spool/" + files[0].inside)
    let deadline = ContinuousClock.now + .seconds(20)
    var result = spool.append(batch)
    while result.failure == .full, .now < deadline { result = spool.append(batch) }
    #expect(result.isSuccess)
    #expect(spool.statistics.bytes == batch.byteCount)
  }

  @Test func `files of an earlier process count towards the limit`() throws {
    try spool().close()
    try folder.write(Array(repeating: 120, count: 100), to: "spool/other.ndjson")
    let spool = try spool { $0.limitBytes = 110 }
    #expect(spool.append(SpoolScenario.batch(1)).failure == .full)
  }

  @Test func `a second process is told that the spool is taken`() throws {
    let spool = try spool()
    let error = #expect(throws: FunnelError.self) { try self.spool() }
    #expect(error?.code == .locked)
    #expect(
      error?.message
        == "another process collects events in \(folder.path("spool")), stop it or choose another spool")
    spool.close()
    try self.spool().close()
  }

  @Test func `a folder that can't be made is refused with 73`() throws {
    try folder.write([], to: "file")
    for path in ["file", "file/spool"] {
      let error = #expect(throws: FunnelError.self) {
        try Spool(folder: folder.path(path), settings: SpoolScenario.settings())
      }
      #expect(error?.code == .cannotCreate)
    }
    try folder.makeFolder("spool")
    try folder.write([], to: "spool/rejected")
    #expect(throws: FunnelError.self) { try spool() }
  }

  @Test func `a closed spool refuses batches`() throws {
    let spool = try spool()
    spool.close()
    spool.close()
    #expect(spool.append(SpoolScenario.batch(1)).failure == .closed)
  }

  @Test func `statistics tell the flushes and the age of the oldest file`() throws {
    let clock = Clock()
    var settings = SpoolScenario.settings()
    settings.now = { clock.time }
    let spool = try Spool(folder: folder.path("spool"), settings: settings)
    #expect(spool.append(SpoolScenario.batch(1)).isSuccess)
    clock.advance(by: 2500)
    #expect(spool.append(SpoolScenario.batch(2)).isSuccess)
    // The file, its folder, and the file once more.
    #expect(spool.statistics.flushCount == 3)
    #expect(spool.statistics.secondsBehind == 2.5)
    #expect(spool.statistics.bytes == SpoolScenario.batch(1).byteCount + SpoolScenario.batch(2).byteCount)
    spool.close()
    #expect(spool.statistics.secondsBehind == 2.5)
  }

  @Test(
    arguments: [
      ("{\"a\":1}\n{\"b\":2}\n", "{\"a\":1}\n{\"b\":2}\n"), ("{\"a\":1}\n{\"b\"", "{\"a\":1}\n"), ("{\"a\"", nil), ("", nil),
      ("{\"a\":1}\n\0\0\0\0\n{\"b\":2}\n", "{\"a\":1}\n"),
    ] as [(String, String?)])
  func `an open file of an earlier process is cut after its last whole line`(text: String, kept: String?) throws {
    try spool().close()
    let name = "collect-2026-11-20T10-15-30-123Z-0000000000000001-000001.ndjson"
    for place in ["spool/", "spool/rejected/"] { try folder.write(Array(text.utf8), to: "\(place)\(name).part") }
    try folder.write([1], to: "spool/upload.ndjson.part")
    let spool = try spool()
    #expect(try spool.finishedFiles().map(\.inside) == (kept == nil ? [] : [name, "rejected/\(name)"]))
    for file in try spool.finishedFiles() {
      #expect(try folder.contents("spool/" + file.inside) == kept.map { Array($0.utf8) })
    }
    // The file of another program is being uploaded.
    #expect(try folder.contents("spool/upload.ndjson.part") == [1])
  }

  @Test(arguments: [("1", 1), ("10737418240", 10 << 30), ("512KiB", 512 << 10), ("10GiB", 10 << 30), ("3m", 3 << 20)])
  func `the limit of a spool is a number of bytes or a size`(text: String, bytes: Int) throws {
    #expect(try SpoolSettings.limitBytes(parsing: text) == bytes)
  }

  @Test(arguments: ["", "0", "-1", "GiB", "1.5GiB", "10 GiB", "0KiB"])
  func `a limit that is no size is a usage error`(text: String) {
    let error = #expect(throws: FunnelError.self) { try SpoolSettings.limitBytes(parsing: text) }
    #expect(error?.code == .usage)
    #expect(
      error?.message == "not a size, --spool-limit \(text), write it in bytes, or as 512MiB or 10GiB")
  }
}

/// A clock that a test advances.
final class Clock: Sendable {
  private let milliseconds = AtomicInteger(Int(SpoolScenario.start.milliseconds))

  var time: Timestamp { Timestamp(milliseconds: Int64(milliseconds.value)) }

  func advance(by difference: Int) { milliseconds.add(difference) }
}
