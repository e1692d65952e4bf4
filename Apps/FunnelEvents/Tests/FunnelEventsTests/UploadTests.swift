import FunnelEvents
import Foundation
import Testing

@Suite struct UploadTests {
  /// A server that counts what it is sent, and fails as often as it is told.
  private final class Server: Sendable {
    struct State: Sendable {
      var failures = 0
      var active = 0
      var activeMax = 0
      var received: [String: [UInt8]] = [:]
      var calls: [String] = []
    }
    struct Down: Error {}

    let state = Guarded(State())

    init(failures: Int = 0) { state.withLock { $0.failures = failures } }

    func receive(_ file: URL) async throws {
      state.withLock { state in
        state.active += 1
        state.activeMax = max(state.activeMax, state.active)
        state.calls.append(file.lastPathComponent)
      }
      defer { state.withLock { $0.active -= 1 } }
      await Task.yield()
      let bytes = try gunzip(file.path)
      try state.withLock { state in
        if state.failures > 0 {
          state.failures -= 1
          throw Down()
        }
        state.received[file.lastPathComponent] = bytes
      }
    }
  }

  @Test func `closed files are uploaded oldest first, one at a time, and deleted`() async throws {
    let place = try RecorderPlace()
    let server = Server()
    let recorder = try place.recorder {
      $0.fileBytesMax = 2048
      $0.upload { try await server.receive($0) }
    }
    for _ in 0..<100 { recorder.record(FunnelEvent("tapped")) }
    try await recorder.closeFile()
    #expect(await eventually { await recorder.status.closedFiles == 0 })
    let state = server.state.withLock { $0 }
    #expect(state.calls == state.calls.sorted())
    #expect(Set(state.calls).count == state.calls.count)
    #expect(state.activeMax == 1)
    let text = state.received.sorted { $0.key < $1.key }.flatMap(\.value)
    #expect(text.count { $0 == 10 } == 100)
    #expect(try place.eventFiles().isEmpty)
  }

  @Test func `an upload that throws is tried again after a delay that doubles up to a limit`() async throws {
    let place = try RecorderPlace()
    let server = Server(failures: 5)
    let recorder = try place.recorder {
      $0.upload { try await server.receive($0) }
      $0.uploadDelayMin = 10
      $0.uploadDelayMax = 60
      $0.fileAgeMax = 100_000
    }
    try await recorder.append(FunnelEvent("a"))
    try await recorder.closeFile()
    for failure in 1...5 {
      #expect(await eventually { server.state.withLock { $0.calls.count } == failure && place.time.sleeperCount == 2 })
      #expect(await recorder.status.closedFiles == 1)
      place.time.advance(by: 60)
    }
    #expect(await eventually { await recorder.status.closedFiles == 0 })
    let delays = place.time.delays.filter { $0 != 100_000 }
    for (delay, most) in zip(delays, [10, 20, 40, 60, 60]) {
      #expect(delay >= TimeInterval(most) / 2 && delay <= TimeInterval(most))
    }
    #expect(delays.count == 5)
    #expect(place.problemCodes == Array(repeating: .upload, count: 5))
  }

  @Test func `an app that closes the file does not wait for the delay`() async throws {
    let place = try RecorderPlace()
    let server = Server(failures: 1)
    let recorder = try place.recorder { $0.upload { try await server.receive($0) } }
    try await recorder.append(FunnelEvent("a"))
    try await recorder.closeFile()
    #expect(await eventually { place.problemCodes == [.upload] })
    try await recorder.append(FunnelEvent("b"))
    try await recorder.closeFile()
    #expect(await eventually { await recorder.status.closedFiles == 0 })
    #expect(server.state.withLock { $0.received.count } == 2)
    #expect(server.state.withLock { $0.activeMax } == 1)
  }

  @Test func `an upload that hangs holds up neither events nor the end`() async throws {
    let place = try RecorderPlace()
    let calls = Guarded(0)
    let wasCancelled = Guarded(false)
    let recorder = try place.recorder {
      $0.upload { _ in
        calls.withLock { $0 += 1 }
        do { try await Task.sleep(for: .seconds(3600)) } catch {
          wasCancelled.withLock { $0 = true }
          throw error
        }
      }
    }
    try await recorder.append(FunnelEvent("a"))
    try await recorder.closeFile()
    #expect(await eventually { calls.withLock { $0 } == 1 })
    for name in ["b", "c"] {
      try await recorder.append(FunnelEvent(name))
      try await recorder.closeFile()
    }
    #expect(await recorder.status.closedFiles == 3)
    #expect(calls.withLock { $0 } == 1)
    try await recorder.close()
    #expect(await eventually { wasCancelled.withLock { $0 } })
    #expect(try place.sequences() == [0, 1, 2])
  }

  @Test func `files that an earlier process left are uploaded too`() async throws {
    let place = try RecorderPlace()
    let first = try place.recorder()
    try await first.append(FunnelEvent("a"))
    try await first.closeFile()
    try await first.close()
    let server = Server()
    let second = try place.recorder { $0.upload { try await server.receive($0) } }
    #expect(await eventually { server.state.withLock { $0.received.count } == 1 })
    #expect(await eventually { await second.status.closedFiles == 0 })
    let names = server.state.withLock { Array($0.received.keys) }
    #expect(names.count == 1 && names[0].wholeMatch(of: /events-000000000000-1-[0-9a-f]{12}\.ndjson\.gz/) != nil, "\(names)")
  }

  @Test func `a file that somebody removed is passed over`() async throws {
    let place = try RecorderPlace()
    let server = Server(failures: 1)
    let recorder = try place.recorder { $0.upload { try await server.receive($0) } }
    try await recorder.append(FunnelEvent("a"))
    try await recorder.closeFile()
    #expect(await eventually { place.problemCodes == [.upload] })
    #expect(await eventually { place.time.sleeperCount == 2 })
    for name in try place.eventFiles() { try place.folder.remove(name) }
    place.time.advance(by: 60)
    #expect(await eventually { await recorder.status.closedFiles == 0 })
    #expect(server.state.withLock { $0.calls.count } == 1)
  }

  /// A server that refuses the files that hold an event.
  private final class PickyServer: Sendable {
    struct Refused: Error {}
    let received = Guarded<[String]>([])
    let calls = Guarded<[String]>([])

    func receive(_ file: URL) async throws {
      let text = String(decoding: try gunzip(file.path), as: UTF8.self)
      calls.withLock { $0.append(text) }
      if text.contains(#""name":"bad""#) { throw Refused() }
      received.withLock { $0.append(text) }
    }
  }

  @Test func `a file that always fails does not hold up those after it, and is tried again`() async throws {
    let place = try RecorderPlace()
    let server = PickyServer()
    let recorder = try place.recorder { $0.upload { try await server.receive($0) } }
    try await recorder.append(FunnelEvent("bad"))
    try await recorder.closeFile()
    #expect(await eventually { place.problemCodes == [.upload] })
    for number in 0..<5 {
      try await recorder.append(FunnelEvent("good_\(number)"))
      try await recorder.closeFile()
      #expect(await eventually { server.received.withLock { $0.count } == number + 1 }, "\(number)")
    }
    #expect(await recorder.status.closedFiles == 1)
    let failures = server.calls.withLock { $0.count { $0.contains("bad") } }
    #expect(
      await eventually {
        place.time.advance(by: 3600)
        return server.calls.withLock { $0.count { $0.contains("bad") } } > failures
      })
    try await recorder.close()
  }

  @Test func `a server that is down is not asked for each file at once`() async throws {
    let place = try RecorderPlace()
    let server = Server(failures: .max)
    let recorder = try place.recorder {
      $0.upload { try await server.receive($0) }
      $0.fileBytesMax = 1024
      $0.diskBytesMax = 1 << 20
    }
    for _ in 0..<200 { try await recorder.append(FunnelEvent("tapped")) }
    #expect(await eventually { await recorder.status.closedFiles > 10 })
    // The second file may be tried, to learn whether it was the first.
    #expect(server.state.withLock { $0.calls.count } <= 2)
    try await recorder.close()
  }

  @Test func `a folder after a reinstall gives other names to the same numbers`() async throws {
    var names: Set<String> = []
    for _ in 0..<3 {
      let place = try RecorderPlace()
      for _ in 0..<2 {
        let recorder = try place.recorder()
        try await recorder.append(FunnelEvent("a"))
        try await recorder.closeFile()
        try await recorder.close()
      }
      let files = try place.eventFiles()
      // Within an install it is the same, so that names sort by their numbers.
      #expect(Set(files.map { $0.split(separator: "-").last }).count == 1, "\(files)")
      names.formUnion(files)
    }
    #expect(names.count == 6)
  }

  @Test func `what is uploaded says when it was sent, at each try anew`() async throws {
    let place = try RecorderPlace()
    let server = Server(failures: 1)
    let texts = Guarded<[String]>([])
    let recorder = try place.recorder {
      $0.upload { file in
        texts.withLock { texts in texts.append(String(decoding: (try? gunzip(file.path)) ?? [], as: UTF8.self)) }
        try await server.receive(file)
      }
    }
    try await recorder.append(FunnelEvent("a", props: ["b": "c"]))
    try await recorder.append(FunnelEvent("d"))
    let recorded = try place.lines()
    let closing = place.time.now
    try await recorder.closeFile()
    // One task waits for the maximum age of the file, one for the end of the delay.
    #expect(await eventually { place.problemCodes == [.upload] && place.time.sleeperCount == 2 })
    place.time.advance(by: 3600)
    #expect(await eventually { await recorder.status.closedFiles == 0 })
    let times = texts.withLock { $0 }.map { text in
      text.split(separator: "\n").map { line -> String in
        let stamp = line.firstMatch(of: /,"sent_at":"([^"]*)"/)
        let original = String(line).replacing(stamp.map { String($0.0) } ?? "", with: "")
        #expect(recorded.contains { $0 == original }, "\(line)")
        return String(stamp?.1 ?? "")
      }
    }
    try #require(times.count == 2 && times.allSatisfy { $0.count == 2 && Set($0).count == 1 })
    let dates = ISO8601DateFormatter()
    dates.formatOptions.insert(.withFractionalSeconds)
    let first = try #require(dates.date(from: times[0][0]))
    #expect(abs(first.timeIntervalSince(closing)) < 1)
    let second = try #require(dates.date(from: times[1][0]))
    #expect(second.timeIntervalSince(first) >= 3600)
  }
}
