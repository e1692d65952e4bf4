@testable import FunnelEvents
import Foundation
import Testing

/// The times of events whose device's clock is set between recording and sending.
@Suite struct ClockTests {
  /// A device with a clock that can be set, and one that can't.
  private final class Device: Sendable {
    let place: RecorderPlace
    /// The time since the device was started, in milliseconds.
    private let steady = Guarded<Int64>(5_000_000)
    let session = Guarded("0badcafe")

    init() throws { place = try RecorderPlace() }

    init(_ place: RecorderPlace) { self.place = place }

    /// Lets time pass on both clocks.
    func wait(_ seconds: Int) {
      steady.withLock { $0 += Int64(seconds) * 1000 }
      place.time.advance(by: TimeInterval(seconds))
    }

    /// Sets the clock.
    func setClock(by seconds: Int) { place.time.set(by: TimeInterval(seconds)) }

    func recorder(_ change: (inout EventRecorder.Configuration) -> Void = { _ in }) throws -> EventRecorder {
      try place.recorder {
        $0.fileAgeMax = 1e9
        $0.steadyClock = SteadyClock(session: session.withLock { $0 }) { [steady] in steady.withLock { $0 } }
        change(&$0)
      }
    }
  }

  /// A server that keeps the events of each upload, and can be made unreachable.
  private final class Server: Sendable {
    struct Try: Sendable {
      var times: [String]
      var stamps: [String]
      var file: EventFile
    }
    let isReachable = Guarded(true)
    let tries = Guarded<[Try]>([])

    /// An uploader that tells the time of sending by itself, or leaves that to the recorder.
    func uploader(tellsTimeOfSending: Bool) -> any EventUploader {
      Uploader(server: self, tellsTimeOfSending: tellsTimeOfSending)
    }

    private struct Uploader: EventUploader {
      let server: Server
      let tellsTimeOfSending: Bool

      func upload(_ file: EventFile) async -> UploadResult {
        let text = (try? gunzip(file.url.path)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let events = text.split(separator: "\n").compactMap { JSONNode(parsing: String($0)) }
        let times = events.compactMap { $0["ts"]?.string }
        let stamps = events.compactMap { $0["sent_at"]?.string }
        server.tries.withLock { $0.append(Try(times: times, stamps: stamps, file: file)) }
        return server.isReachable.withLock { $0 } ? .delivered : .retry(after: .automatic)
      }
    }
  }

  private static let start = "2026-11-20T10:00:00.000Z"

  @Test(arguments: [-7200, 7200, 40 * 86_400, -40 * 86_400, 2], [true, false])
  func `events are dated by the clock that is right when they are sent`(error: Int, tellsTimeOfSending: Bool) async throws {
    let device = try Device()
    let server = Server()
    let recorder = try device.recorder { $0.uploader = server.uploader(tellsTimeOfSending: tellsTimeOfSending) }
    device.setClock(by: error)
    recorder.record(FunnelEvent("a"))
    try await recorder.sync()
    device.wait(60)
    device.setClock(by: -error)
    #expect(try await recorder.flush() == EventRecorder.Delivery(delivered: 1))
    let sent = try #require(server.tries.withLock { $0.last })
    #expect(sent.times == [Self.start])
    #expect(sent.file.sentAt == device.place.time.now)
    #expect(sent.stamps == (tellsTimeOfSending ? [] : ["2026-11-20T10:01:00.000Z"]))
    #expect(try device.place.folder.files() == ["lock", "recorder.spare", "recorder.state"])
  }

  @Test func `each try moves the events anew, and the file keeps its name and its own times`() async throws {
    let device = try Device()
    let server = Server()
    server.isReachable.withLock { $0 = false }
    let recorder = try device.recorder { $0.uploader = server.uploader(tellsTimeOfSending: true) }
    device.setClock(by: 7200)
    recorder.record(FunnelEvent("a"))
    try await recorder.flush()
    for error in [0, 86_400 * 3, 0] {
      device.setClock(by: -7200 + error)
      try await recorder.flush()
      device.setClock(by: 7200 - error)
    }
    let tries = server.tries.withLock { $0 }
    #expect(tries.map(\.times) == [["2026-11-20T12:00:00.000Z"], [Self.start], ["2026-11-23T10:00:00.000Z"], [Self.start]])
    #expect(Set(tries.map(\.file.url.lastPathComponent)).count == 1)
    #expect(try device.place.events().map { $0["ts"]?.string } == ["2026-11-20T12:00:00.000Z"])
  }

  @Test func `a file has events of one setting of the clock`() async throws {
    let device = try Device()
    let server = Server()
    // Without an uploader, so that no file is sent while the clock is wrong.
    let first = try device.recorder()
    first.record(FunnelEvent("a"))
    device.setClock(by: 600)
    first.record(FunnelEvent("b"))
    device.setClock(by: -600)
    first.record(FunnelEvent("c"))
    try await first.close()
    let second = try device.recorder { $0.uploader = server.uploader(tellsTimeOfSending: true) }
    try await second.flush()
    #expect(await eventually { server.tries.withLock { $0.count } == 3 })
    #expect(server.tries.withLock { $0.flatMap(\.times) } == [Self.start, Self.start, Self.start])
  }

  @Test func `a file that stayed empty on a full disk has no setting of the clock`() async throws {
    let device = try Device()
    let server = Server()
    let disk = TestDisk()
    let recorder = try device.recorder {
      $0.write = disk.write
      $0.uploader = server.uploader(tellsTimeOfSending: true)
    }
    try await recorder.sync()
    disk.isFull = true
    device.setClock(by: 7200)
    await #expect(throws: EventRecorderError.self) { try await recorder.append(FunnelEvent("a")) }
    device.setClock(by: -7200)
    disk.isFull = false
    try await recorder.append(FunnelEvent("b"))
    try await recorder.flush()
    #expect(server.tries.withLock { $0.map(\.times) } == [[Self.start]])
    #expect(try device.place.eventFiles().isEmpty)
  }

  @Test func `a torn line of an earlier setting of the clock stays in a file of its own`() async throws {
    let device = try Device()
    let server = Server()
    let name = "open-000000000000-1795168800000-0badcafe-1795000000000.ndjson"
    try device.place.folder.write(Array(#"{"name":"to"#.utf8), to: name)
    let recorder = try device.recorder { $0.uploader = server.uploader(tellsTimeOfSending: true) }
    try await recorder.append(FunnelEvent("b"))
    try await recorder.flush()
    #expect(await eventually { server.tries.withLock { $0.count } == 2 })
    #expect(server.tries.withLock { $0.map(\.times) } == [[], [Self.start]])
  }

  @Test func `a small adjustment moves nothing`() async throws {
    let device = try Device()
    let server = Server()
    let recorder = try device.recorder { $0.uploader = server.uploader(tellsTimeOfSending: true) }
    recorder.record(FunnelEvent("a"))
    try await recorder.sync()
    device.place.time.advance(by: 0.9)
    recorder.record(FunnelEvent("b"))
    try await recorder.flush()
    #expect(server.tries.withLock { $0.map(\.times) } == [[Self.start, "2026-11-20T10:00:00.900Z"]])
  }

  @Test(arguments: [true, false])
  func `the next launch knows the setting of the clock, but not after a restart of the device`(isRestarted: Bool) async throws {
    let device = try Device()
    device.setClock(by: 7200)
    // One file is closed, the other one is left open by a kill.
    let first = try device.recorder()
    first.record(FunnelEvent("closed"))
    try await first.closeFile()
    first.record(FunnelEvent("open"))
    try await first.close()
    device.setClock(by: -7200)
    if isRestarted { device.session.withLock { $0 = "deadbeef" } }
    let server = Server()
    let second = try device.recorder { $0.uploader = server.uploader(tellsTimeOfSending: true) }
    try await second.flush()
    #expect(await eventually { server.tries.withLock { $0.count } == 2 })
    let time = isRestarted ? "2026-11-20T12:00:00.000Z" : Self.start
    #expect(server.tries.withLock { $0.map(\.times) } == [[time], [time]])
  }

  @Test func `without room for a copy the server is told the time by the clock that dated the events`() async throws {
    let device = try Device()
    let server = Server()
    let disk = TestDisk()
    server.isReachable.withLock { $0 = false }
    let recorder = try device.recorder {
      $0.write = disk.write
      $0.uploader = server.uploader(tellsTimeOfSending: true)
    }
    device.setClock(by: 7200)
    recorder.record(FunnelEvent("a"))
    try await recorder.flush()
    device.setClock(by: -7200)
    disk.isFull = true
    server.isReachable.withLock { $0 = true }
    try await recorder.flush()
    let sent = try #require(server.tries.withLock { $0.last })
    #expect(sent.times == ["2026-11-20T12:00:00.000Z"])
    #expect(sent.file.sentAt == device.place.time.now + 7200)
  }

  @Test func `copies of an earlier process are deleted`() async throws {
    let device = try Device()
    try device.place.folder.makeFolder("sending")
    try device.place.folder.write([1], to: "sending/events-000000000000-1-0c6f5e21a9b4.ndjson.gz")
    let recorder = try device.recorder()
    try await recorder.sync()
    #expect(try device.place.folder.files() == ["lock", "recorder.spare", "recorder.state"])
  }

  @Test func `a clock of the app's own is not compared with that of the system`() throws {
    var configuration = EventRecorder.Configuration(app: "cleaner")
    #expect(configuration.moment().clock != nil)
    configuration.clock = { Date(timeIntervalSince1970: 0) }
    #expect(configuration.moment() == Moment(date: Date(timeIntervalSince1970: 0), clock: nil))
  }

  @Test func `the system's clock has one setting, and a process that was suspended meanwhile knows none`() throws {
    let first = try #require(SteadyClock.system.moment { Date() }.clock)
    let second = try #require(SteadyClock.system.moment { Date() }.clock)
    #expect(first.isSame(as: second) && first.session.count == 8)
    let steady = Guarded<Int64>(0)
    let suspended = SteadyClock(session: "0badcafe") {
      steady.withLock {
        $0 += 3_600_000
        return $0
      }
    }
    #expect(suspended.moment { Date() }.clock == nil)
  }

  @Test(arguments: [0, 1, -1, 1_795_168_800_123, 951_782_400_000, -62_167_219_200_000, 253_402_300_799_999] as [Int64])
  func `a time is read as it is written`(milliseconds: Int64) {
    let time = Timestamp(milliseconds: milliseconds)
    #expect(Timestamp(description: Array("\(time)".utf8)[...]) == time)
  }

  @Test(arguments: [
    "", "2026-11-20T10:00:00Z", "2026-13-20T10:00:00.000Z", "2026-11-20 10:00:00.000Z", "2026-11-20T10:00:00.00xZ",
  ])
  func `another text is no time`(text: String) { #expect(Timestamp(description: Array(text.utf8)[...]) == nil) }

  @Test func `a line that is no whole event is not changed`() {
    let other = #"{"name":"a","seq":1,"ts":"2026-11-20T10:00:00.000Z"}"#
    for line in [#"{"name":"a","ts":"2026-11-20T10:00:0"#, #"{"na"#, other] {
      #expect(EventTime.shifted(Array("\(line)\n".utf8), by: 5000) == Array("\(line)\n".utf8))
    }
  }
}
