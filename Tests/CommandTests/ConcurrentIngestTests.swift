import Foundation
import FunnelTestSupport
import Testing

/// Several commands write to one store at the same time, and others read it meanwhile.
@Suite struct ConcurrentIngestTests {
  private static let writers = 8
  private static let linesOfWriter = 30

  /// Creates inputs for eight writers. Each has thirty events of its own and ten that are in all of them.
  private func place() throws -> Workplace {
    let place = try Workplace()
    let shared = (0..<10).map { LogLine.event("perm_flow_start", "shared\($0)", at: $0) }.joined()
    for writer in 0..<Self.writers {
      let own = (0..<Self.linesOfWriter).map { LogLine.event("perm_flow_start", "w\(writer)-\($0)", at: $0) }.joined()
      try place.write(own + shared, to: "\(writer).ndjson")
    }
    return place
  }

  private func start(_ place: Workplace, _ writer: Int, timeout: String) throws -> FunnelProcess {
    try FunnelProcess([
      "ingest", place.folder.path("\(writer).ndjson"), "--store", place.folder.path("funnel-store"), "--now", Workplace.now,
      "--lock-timeout", timeout,
    ])
  }

  /// Returns how many lines of each writer a reader finds in the log, or nil if there is no store yet.
  private func linesByWriter(_ place: Workplace) throws -> [Int: Int]? {
    let run = try place.run("log", "cat", "--store", place.folder.path("funnel-store"))
    if run.status == 66 { return nil }
    #expect(run.status == 0, "\(run.errors)")
    var counts: [Int: Int] = [:]
    for line in run.output.split(separator: "\n") {
      guard let start = line.firstRange(of: "\"subject\":\"w") else { continue }
      counts[Int(line[start.upperBound...].prefix(1)) ?? -1, default: 0] += 1
    }
    return counts
  }

  @Test func `eight ingests at once, one of them killed, come to what they come to one after another`() throws {
    let place = try place()
    var random = SeededGenerator(seed: 1)
    let whole = try place.copy()
    for writer in 0..<Self.writers { _ = try whole.ingest("\(writer).ndjson") }
    let report = try whole.report()
    for round in 0..<Sweeps.count(100, sample: 2) {
      let processes = try (0..<Self.writers).map { try start(place, $0, timeout: "120s") }
      let victim = Int.random(in: 0..<Self.writers, using: &random)
      usleep(UInt32.random(in: 0..<100_000, using: &random))
      processes[victim].kill()
      // A writer's commit is seen whole or not at all.
      for (writer, count) in try linesByWriter(place) ?? [:] {
        #expect(count == Self.linesOfWriter, "round \(round), writer \(writer)")
      }
      for (writer, process) in processes.enumerated() {
        let code = process.wait()
        #expect(code == 0 || (writer == victim && code == nil), "round \(round), writer \(writer)")
      }
      // The lock of a killed process is released, so a command that does not wait succeeds.
      #expect(try start(place, victim, timeout: "0s").wait() == 0, "round \(round)")
      #expect(try place.report() == report, "round \(round)")
      #expect(try place.run("log", "verify").status == 0, "round \(round)")
      try place.folder.remove("funnel-store")
    }
  }

  @Test func `an ingest that is told not to wait is refused while another writes, and has done nothing`() throws {
    let place = try place()
    // The first reads from a pipe that this test keeps open, so it holds the lock for as long as the test wants.
    let pipe = place.folder.path("feed.ndjson")
    try #require(mkfifo(pipe, 0o600) == 0)
    let writing = try FunnelProcess([
      "ingest", pipe, "--store", place.folder.path("funnel-store"), "--now", Workplace.now,
    ])
    let feed = try openedForWriting(pipe)
    for writer in 0..<Self.writers {
      #expect(try start(place, writer, timeout: "0s").wait() == 75, "writer \(writer)")
    }
    #expect(try linesByWriter(place) == [:])
    let lines = Array(LogLine.event("perm_flow_start", "w9-0", at: 0).utf8)
    #expect(write(feed, lines, lines.count) == lines.count)
    close(feed)
    #expect(writing.wait() == 0)
    #expect(try linesByWriter(place) == [9: 1])
  }

  @Test func `of ingests that do not wait each is refused or whole`() throws {
    let place = try place()
    for round in 0..<Sweeps.count(100, sample: 2) {
      let processes = try (0..<Self.writers).map { try start(place, $0, timeout: "0s") }
      let codes = processes.map { $0.wait() }
      #expect(codes.allSatisfy { $0 == 0 || $0 == 75 }, "round \(round): \(codes)")
      #expect(codes.contains(0), "round \(round)")
      let counts = try linesByWriter(place) ?? [:]
      for (writer, code) in codes.enumerated() {
        #expect(counts[writer] == (code == 0 ? Self.linesOfWriter : nil), "round \(round), writer \(writer)")
      }
      try place.folder.remove("funnel-store")
    }
  }

  /// Opens a named pipe for writing as soon as another process has opened it for reading.
  private func openedForWriting(_ pipe: String) throws -> Int32 {
    for _ in 0..<60_000 {
      let descriptor = open(pipe, O_WRONLY | O_NONBLOCK)
      if descriptor >= 0 { return descriptor }
      usleep(1_000)
    }
    throw POSIXError(.ENXIO)
  }
}
