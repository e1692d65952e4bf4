@testable import FunnelEvents
import Foundation
import Testing

/// The recorder on a full disk.
@Suite struct FullDiskTests {
  private let disk = TestDisk()

  private func recorder(
    in place: RecorderPlace, _ change: (inout EventRecorder.Configuration) -> Void = { _ in }
  ) throws -> EventRecorder {
    try place.recorder {
      $0.write = disk.write
      change(&$0)
    }
  }

  private func names(_ place: RecorderPlace) throws -> [String?] { try place.events().map { $0["name"]?.string } }

  @Test func `events wait in memory for room, in their order, each with its person and attempt`() async throws {
    let place = try RecorderPlace()
    let recorder = try recorder(in: place)
    try await recorder.append(FunnelEvent("before"))
    disk.isFull = true
    recorder.record(FunnelEvent("one"))
    recorder.identify(user: "u-17")
    let attempt = recorder.beginAttempt(of: "paywall")
    recorder.record(FunnelEvent("two", flow: "paywall"))
    recorder.signOut()
    recorder.endAttempt(of: "paywall")
    recorder.record(FunnelEvent("three", flow: "paywall"))
    let status = await recorder.status
    #expect(status.waiting == 4 && status.dropped == 0 && status.recorded == 1 && status.nextSequence == 5)
    #expect(try names(place) == ["before"])
    disk.isFull = false
    try await recorder.sync()
    #expect(try names(place) == ["before", "one", "user_linked", "two", "three"])
    #expect(try place.sequences() == [0, 1, 2, 3, 4])
    #expect(try place.events().map { $0["user"]?.string } == [nil, nil, "u-17", "u-17", nil])
    #expect(try place.events().map { $0["attempt"]?.string } == [nil, nil, nil, attempt, nil])
    #expect(await recorder.status.waiting == 0)
  }

  @Test func `sync throws while events wait for room, and so does close, which keeps them`() async throws {
    let place = try RecorderPlace()
    let recorder = try recorder(in: place)
    try await recorder.append(FunnelEvent("a"))
    disk.isFull = true
    recorder.record(FunnelEvent("b"))
    for _ in 0..<2 {
      await #expect { try await recorder.sync() } throws: { "\($0)".hasSuffix("No space left on device, free some space") }
    }
    await #expect(throws: EventRecorderError.self) { try await recorder.close() }
    disk.isFull = false
    try await recorder.close()
    #expect(try names(place) == ["a", "b"])
  }

  @Test func `a full disk is reported once`() async throws {
    let place = try RecorderPlace()
    let recorder = try recorder(in: place)
    try await recorder.append(FunnelEvent("a"))
    disk.isFull = true
    for _ in 0..<10 {
      recorder.record(FunnelEvent("b"))
      _ = await recorder.status
    }
    #expect(place.problemCodes == [.storage])
    disk.isFull = false
    try await recorder.sync()
    disk.isFull = true
    recorder.record(FunnelEvent("c"))
    _ = await recorder.status
    #expect(place.problemCodes == [.storage, .storage])
  }

  @Test func `an event whose caller waits is not kept, so that the caller may repeat it`() async throws {
    let place = try RecorderPlace()
    let recorder = try recorder(in: place)
    disk.isFull = true
    try? await recorder.sync()
    disk.isFull = false
    try await recorder.append(FunnelEvent("a"))
    disk.isFull = true
    await #expect(throws: EventRecorderError.self) { try await recorder.append(FunnelEvent("b")) }
    recorder.record(FunnelEvent("c"))
    await #expect(throws: EventRecorderError.self) { try await recorder.append(FunnelEvent("d")) }
    disk.isFull = false
    try await recorder.append(FunnelEvent("d"))
    #expect(try names(place) == ["a", "c", "d"])
    #expect(try place.sequences() == [0, 1, 2])
  }

  @Test func `many waiting events become files of the usual size`() async throws {
    let place = try RecorderPlace()
    let recorder = try recorder(in: place) { $0.fileBytesMax = 2048 }
    try await recorder.append(FunnelEvent("a"))
    disk.isFull = true
    for _ in 0..<100 { recorder.record(FunnelEvent("tapped")) }
    #expect(await recorder.status.waiting == 100)
    disk.isFull = false
    try await recorder.sync()
    #expect(try place.sequences() == Array(0...100))
    for name in try place.eventFiles() where name.hasSuffix(".gz") {
      #expect(try gunzip(place.folder.path(name)).count <= 2048)
    }
    #expect(try place.eventFiles().count > 5)
  }

  @Test func `flush delivers what is stored, which makes room for the rest`() async throws {
    let place = try RecorderPlace()
    let offline = try place.recorder()
    offline.record(FunnelEvent("stored"))
    try await offline.closeFile()
    offline.record(FunnelEvent("open"))
    try await offline.close()
    let isReachable = Guarded(false)
    let delivered = Guarded<[String]>([])
    let recorder = try recorder(in: place) { [disk] in
      $0.uploader = ClosureUploader { file in
        guard isReachable.withLock({ $0 }) else { return .retry(after: .automatic) }
        delivered.withLock { $0.append((try? eventText(of: file.url)) ?? "") }
        disk.isFull = false
        return .delivered
      }
    }
    #expect(await eventually { place.problemCodes == [.upload] })
    disk.isFull = true
    recorder.record(FunnelEvent("waiting"))
    _ = await recorder.status
    isReachable.withLock { $0 = true }
    #expect(try await recorder.flush() == EventRecorder.Delivery(delivered: 3))
    #expect(try place.eventFiles().isEmpty)
    let texts = delivered.withLock { $0 }
    // The file that has failed before comes last.
    try #require(texts.count == 3)
    for (text, name) in zip(texts, ["open", "waiting", "stored"]) { #expect(text.contains(name)) }
  }

  @Test func `without room to compress it, the open file is delivered as it is`() async throws {
    let place = try RecorderPlace()
    let server = try TestServer { [disk] _, _ in
      disk.isFull = false
      return TestServer.answer(200)
    }
    let recorder = try recorder(in: place) { $0.uploader = HTTPUploader(url: server.url, key: "k") }
    recorder.record(FunnelEvent("a"))
    try await recorder.sync()
    disk.isFull = true
    recorder.record(FunnelEvent("b"))
    #expect(try await recorder.flush() == EventRecorder.Delivery(delivered: 2))
    let requests = server.requests.withLock { $0 }
    #expect(requests.map { $0.headers["content-encoding"] } == [nil, "gzip"])
    #expect(requests.map { $0.events.compactMap { JSONNode(parsing: $0)?["name"]?.string } } == [["a"], ["b"]])
    #expect(try place.folder.files() == ["lock", "recorder.spare", "recorder.state"])
  }

  @Test func `flush keeps what finds no room, and says how much`() async throws {
    let place = try RecorderPlace()
    let recorder = try recorder(in: place) { $0.upload { _ in } }
    recorder.record(FunnelEvent("a"))
    try await recorder.sync()
    disk.isFull = true
    recorder.record(FunnelEvent("b"))
    #expect(try await recorder.flush() == EventRecorder.Delivery(delivered: 1, kept: 1))
    disk.isFull = false
    #expect(try await recorder.flush() == EventRecorder.Delivery(delivered: 1))
  }

  @Test(arguments: [true, false], [true, false])
  func `numbers go on after files that were delivered while the state could not be stored`(
    isStillFull: Bool, hasSpareRoom: Bool
  ) async throws {
    let place = try RecorderPlace()
    let recorder = try recorder(in: place) { $0.upload { _ in } }
    for _ in 0..<3 { recorder.record(FunnelEvent("a")) }
    try await recorder.sync()
    disk.isFull = true
    if !hasSpareRoom { try place.folder.remove("recorder.spare") }
    #expect(try await recorder.flush() == EventRecorder.Delivery(delivered: 3))
    let killed = try place.copy()
    disk.isFull = isStillFull
    let next = try killed.recorder { $0.write = disk.write }
    let status = await next.status
    #expect(status.nextSequence == 3 && status.closedFiles == 0)
    disk.isFull = false
    try await next.append(FunnelEvent("b"))
    try await next.closeFile()
    try await next.close()
    #expect(try killed.sequences() == [3])
    let last = try killed.recorder()
    #expect(await last.status.nextSequence == 4)
    let empty = try killed.folder.files().filter { try killed.folder.contents($0).isEmpty }
    #expect(empty.isEmpty)
  }

  @Test func `it is tried again after a while, without a further call`() async throws {
    let place = try RecorderPlace()
    let recorder = try recorder(in: place) { $0.flushInterval = 30 }
    try await recorder.append(FunnelEvent("a"))
    disk.isFull = true
    recorder.record(FunnelEvent("b"))
    _ = await recorder.status
    // One task waits for the maximum age of the file, one to try again.
    #expect(await eventually { place.time.sleeperCount == 2 })
    place.time.advance(by: 30)
    #expect(await eventually { place.time.sleeperCount == 2 && place.time.delays.count(where: { $0 == 30 }) == 2 })
    disk.isFull = false
    place.time.advance(by: 30)
    #expect(try await eventually { try names(place) == ["a", "b"] })
  }

  @Test func `what waited when the app was killed counts as dropped at the next launch`() async throws {
    let place = try RecorderPlace()
    let recorder = try recorder(in: place) { $0.queuedEventsMax = 5 }
    try await recorder.append(FunnelEvent("a"))
    disk.isFull = true
    for _ in 0..<8 {
      recorder.record(FunnelEvent("b"))
      _ = await recorder.status
    }
    let status = await recorder.status
    #expect(status.waiting == 5 && status.dropped == 3)
    let killed = try place.copy()
    let next = try killed.recorder()
    #expect(await next.status.dropped == 8)
    let sentence =
      "dropped: 5 events of an earlier launch were dropped, because there was no room when the app ended; free some space"
    #expect(killed.problems.withLock { $0.map(\.description) } == [sentence])
    try await next.close()
    let last = try killed.recorder()
    #expect(await last.status.dropped == 8)
    #expect(killed.problems.withLock { $0.count } == 1)
    // The events that waited were written after all.
    disk.isFull = false
    try await recorder.close()
    #expect(try place.sequences() == Array(0...5))
    let later = try place.recorder()
    #expect(await later.status.dropped == 3)
  }

  @Test func `a launch on a full disk delivers what is stored, although a kill has left two open files and a torn line`()
    async throws
  {
    let place = try RecorderPlace()
    let first = try place.recorder()
    try await first.append(FunnelEvent("closed"))
    try await first.closeFile()
    try await first.close()
    let lines = [1, 2].map { #"{"name":"a","ts":"2026-11-20T10:00:00.000Z","subject":"s","app":"cleaner","seq":\#($0),"v":1}"# }
    try place.folder.write(Array("\(lines[0])\n".utf8), to: "open-000000000001-1795168800000.ndjson")
    try place.folder.write(Array("\(lines[1])\n{\"name\":\"to".utf8), to: "open-000000000002-1795168800000.ndjson")
    disk.isFull = true
    let recorder = try recorder(in: place) { [disk] in $0.upload { _ in disk.isFull = false } }
    recorder.record(FunnelEvent("new"))
    #expect(await eventually { await recorder.status.waiting == 0 })
    #expect(try place.folder.contents("open-000000000002-1795168800000.ndjson").split(separator: 10).count == 3)
    try await recorder.close()
    let delivered = Guarded(0)
    let last = try place.recorder {
      $0.upload { file in delivered.withLock { $0 += (try? gunzip(file.path).count { $0 == 10 }) ?? 0 } }
    }
    try await last.flush()
    #expect(try await eventually { try place.eventFiles().isEmpty })
    #expect(delivered.withLock { $0 } == 4)
    try await last.close()
  }

  private typealias Change = @Sendable (EventRecorder) -> Void

  private static let changes: [(Change, subject: String?, user: String?)] = [
    ({ $0.signOut() }, "install-1", nil), ({ $0.setSubject("other") }, "other", "ann"),
    ({ $0.identify(user: "bob") }, "install-1", "bob"),
    (
      {
        $0.identify(user: "bob")
        $0.signOut()
        $0.setSubject("other")
        $0.identify(user: "eve")
      }, "other", "eve"
    ),
  ]

  @Test(arguments: changes.indices)
  func `who later events are about survives a kill on a full disk`(index: Int) async throws {
    let place = try RecorderPlace()
    let recorder = try recorder(in: place)
    recorder.identify(user: "ann")
    try await recorder.sync()
    disk.isFull = true
    let (change, subject, user) = Self.changes[index]
    change(recorder)
    let status = await recorder.status
    #expect(status.subject == subject && status.user == user)
    let killed = try place.copy()
    let next = try killed.recorder { $0.write = disk.write }
    #expect(await next.status.subject == subject)
    #expect(await next.status.user == user)
    let spare = String(decoding: try killed.folder.contents("recorder.spare"), as: UTF8.self)
    #expect(spare.allSatisfy { $0 == " " })
  }

  @Test func `a reset survives a kill on a full disk`() async throws {
    let place = try RecorderPlace()
    let recorder = try recorder(in: place)
    recorder.identify(user: "ann")
    try await recorder.sync()
    disk.isFull = true
    recorder.reset()
    let subject = await recorder.status.subject
    #expect(subject?.count == 36)
    let killed = try place.copy()
    let next = try killed.recorder { $0.write = disk.write }
    #expect(await next.status.subject == subject)
    #expect(await next.status.user == nil)
  }

  @Test(arguments: [true, false]) func `an opt-out survives a kill on a full disk`(isStillFull: Bool) async throws {
    let place = try RecorderPlace()
    let recorder = try recorder(in: place)
    recorder.identify(user: "ann")
    try await recorder.sync()
    disk.isFull = true
    recorder.optOut()
    #expect(await recorder.status.isOptedOut)
    try await recorder.sync()
    let killed = try place.copy()
    disk.isFull = isStillFull
    let next = try killed.recorder { $0.write = disk.write }
    next.record(FunnelEvent("a"))
    #expect(await next.status.isOptedOut)
    #expect(try killed.eventFiles().isEmpty)
    for name in try killed.folder.files() {
      #expect(!String(decoding: try killed.folder.contents(name), as: UTF8.self).contains("ann"), "\(name)")
    }
  }

  @Test func `a state with the clocks of many files fits into the room that is kept for it, without them`() throws {
    let place = try RecorderPlace()
    var state = RecorderState()
    state.subject = "install-1"
    for first in 0..<500 { state.clocks[first] = DeviceClock(session: "0123456789abcdef", offset: 1_795_168_800_000) }
    try place.folder.write(state.json, to: "recorder.state")
    let folder = try RecorderFolder(
      RecorderFolder.Settings(
        path: place.folder.path, fileBytesMax: 1024, closedBytesMax: 4096, startsOptedOut: false, write: disk.write))
    disk.isFull = true
    try folder.enforce { $0.user = "ann" }
    let stored = try #require(RecorderState(json: try place.folder.contents("recorder.state")))
    #expect(stored.user == "ann" && stored.clocks.isEmpty && folder.state.clocks.count == 500)
    #expect(throws: EventRecorderError.self) {
      try folder.enforce { $0.attempts["f"] = String(repeating: "x", count: 5000) }
    }
  }

  @Test func `an opt-out deletes what waits`() async throws {
    let place = try RecorderPlace()
    let recorder = try recorder(in: place)
    try await recorder.append(FunnelEvent("a"))
    disk.isFull = true
    recorder.record(FunnelEvent("b"))
    recorder.optOut()
    #expect(await recorder.status.waiting == 0)
    disk.isFull = false
    try await recorder.sync()
    #expect(try place.eventFiles().isEmpty)
    let killed = try place.copy().recorder()
    #expect(await killed.status.dropped == 0)
  }
}
